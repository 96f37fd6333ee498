"""A context: runs code that comes over the control socket, one piece after the other, in one __main__."""
import _signal
import builtins
import os
import sys

from _atoll import errors, finish, recursion, usage, watch
from _atoll.display import Publisher, install
from _atoll.forks import Forks
from _atoll.interrupts import Interrupts
from _atoll.mainmodule import new_main
from _atoll.shell import Shell
from _atoll.streams import Streams
from _atoll.wire import Wire, quote

CONTROL_FD = 3
FRAMES_BELOW = 12  # at most, from the script's top level to the user's code
MIN_RECURSION = 256  # what the driver needs for itself
INTERRUPTED = 130


class Context:
    def __init__(self, fd=CONTROL_FD):
        os.set_inheritable(fd, False)
        self._wire = Wire(fd)
        self._count = 0
        self._main = new_main()
        sys.argv[:] = [""]
        if hasattr(sys, "orig_argv"):
            sys.orig_argv[:] = [sys.executable]
        self._interrupts = Interrupts(
            self._wire, (self._evaluate, self._show_figures, self._describe), Shell.execute)
        self._forks = Forks(self._wire, Streams(self._wire), self._interrupts)
        self._publisher = Publisher(self._wire)
        self._figures = None  # until matplotlib is there
        self._shell = Shell(vars(self._main), self._rich_set_up(), self._attach_ipython)
        watch.when_imported("matplotlib", self._expect_figures)
        watch.when_imported("linecache", _tell_sources)
        recursion.hide(FRAMES_BELOW)

    def _rich_set_up(self):
        """With IPython, if it is loaded: loading it would cost more than the rest of a start together."""
        transform = self._attach_ipython() if "IPython" in sys.modules else None
        if transform is None:
            install(self._publisher)
        return transform

    def _attach_ipython(self):
        """What turns its language into Python; None where it is not installed, or not as it is known."""
        try:
            from _atoll import ipython
        except ImportError:
            return None
        return ipython.attach(self._main, self._publisher)

    def _expect_figures(self, _matplotlib):
        if self._figures is None:
            from _atoll.figures import Figures

            self._figures = Figures(self._publisher)

    def serve(self):
        """Until the socket ends."""
        version = "%d.%d.%d" % sys.version_info[:3]
        self._wire.send(b"ready", b'{"language":"python","version":"%b"}' % version.encode())
        while True:
            try:
                self._wire.wait()
            except BaseException:  # a signal handler that the user's code has left behind
                continue
            message = self._wire.receive()
            if message is None:
                return
            if message[0] == b"run":
                self._run(message[1])

    def _run(self, body):
        self._count += 1
        status = 0
        try:
            try:
                self._interrupts.begin_run()
                self._evaluate(body)
                self._check_swallowed()
            finally:
                self._interrupts.end_run()
        except BaseException as problem:
            self._interrupts.end_run()
            status = self._fail(problem)
        try:
            self._after_run()
        except BaseException as problem:
            status = self._fail(problem)
        self._wire.send(b"done", b'{"execution_count":%d,"exit_code":%d%b}' % (self._count, status, usage.members()))

    def _evaluate(self, body):
        value = self._shell.execute(body.decode("utf-8-sig"), self._count)
        if value is None or self._forks.forked:
            return
        from _atoll import bundle

        builtins._ = value
        forms = bundle.of(value)
        if forms is not None:
            self._wire.send(b"result", bundle.encode(forms))

    def _check_swallowed(self):
        """IPython's magics print an interrupt or an error and go on: the run has failed all the same."""
        ipython = sys.modules.get("_atoll.ipython")
        problem = ipython.swallowed(self._interrupts.raised) if ipython is not None else None
        if problem is not None:
            raise problem

    def _after_run(self):
        if self._forks.forked:
            finish.leave(0)
        if sys.getrecursionlimit() < MIN_RECURSION:
            sys.setrecursionlimit(MIN_RECURSION)
        self._show_figures()
        if "ctypes" in sys.modules:
            sys.modules["ctypes"].pythonapi.fflush(None)  # what C code has printed
        if sys.stdin is None or sys.stdin.closed:  # exit() closes it
            sys.stdin = sys.__stdin__ = open(0, closefd=False)
        finish.flush()

    def _show_figures(self):
        watch.catch_up()
        if self._figures is not None:
            self._figures.show_open()

    def _fail(self, problem):
        """Tells of an exception that ended the code; returns the exit code."""
        kind = type(problem)  # isinstance() would ask the object, which may lie or fail
        try:
            name, value, text, status = self._describe(problem)
        except BaseException as another:
            name, value, status = errors.name_of(problem), errors.name_of(another), 1
            text = "%s, and %s while telling of it\n" % (name, value)
        if self._forks.forked:
            sys.stderr.write(text)
            finish.leave(status)
        if not issubclass(kind, SystemExit):
            self._wire.send(b"error", b'{"ename":%b,"evalue":%b,"traceback":%b}' % tuple(
                quote(part).encode("utf-8", "replace") for part in (name, value, text)))
        return INTERRUPTED if issubclass(kind, KeyboardInterrupt) else status

    def _describe(self, problem):
        if issubclass(type(problem), SystemExit):
            return "", "", "", errors.exit_status(problem)
        sys.last_type, sys.last_value = type(problem), problem
        sys.last_traceback = errors.traceback_of(problem)
        return (*errors.describe(problem), 1)


def _tell_sources(linecache):
    from _atoll import sources

    sources.tell_all(linecache)


def run():
    try:
        Context().serve()
    finally:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        finish.leave(0)
