"""IPython behind a context, where it is loaded already (a zygote has it): magics, !commands, its formatters.

The code itself is run by shell.py as without it. Nothing is written to disk: no profile, no history.
"""
import atexit
import builtins
import io
import os
import sys

from IPython.core import interactiveshell
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.profiledir import ProfileDir
from traitlets.config import Config

from _atoll import bundle, errors

_shell = None  # made once; a zygote makes it before it forks
_magic_ran = False
_failure = None  # of a magic in this run
_held = None  # problems of the forms of a value that is being shown


class Formatter(DisplayFormatter):
    def format(self, obj, include=None, exclude=None):
        special = bundle.special_forms_of(obj)
        forms, metadata = super().format(obj, include, exclude)
        if special and (forms or metadata):
            special.update(forms)
            forms = special
        return forms, metadata


class QuietPublisher(DisplayPublisher):
    send = None

    def publish(self, data, *_, **__):
        if data:
            self.send(dict(data))

    def clear_output(self, wait=False):
        pass


class ContextShell(InteractiveShell):
    def init_ipython_dir(self, ipython_dir):
        pass

    def init_profile_dir(self, profile_dir):
        self.profile_dir = ProfileDir()

    def init_virtualenv(self):
        pass

    def init_sys_modules(self):
        pass

    def init_display_formatter(self):
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_display_pub(self):
        self.display_pub = QuietPublisher(parent=self, shell=self)
        self.configurables.append(self.display_pub)

    def enable_gui(self, gui=None):
        pass

    def enable_matplotlib(self, gui=None):
        """%matplotlib: figures are shown as they are (figures.py)."""
        return None, "agg"

    def showtraceback(self, exc_tuple=None, *_, **__):
        """With a tuple: of a form that a value could not be shown in. Without: of a magic that failed."""
        global _failure
        if exc_tuple is None:
            _failure = sys.exc_info()[1]
        elif _held is not None:
            _held.append(exc_tuple[1])
        else:
            errors.print_traceback(exc_tuple[1])

    def run_line_magic(self, *args, **named):
        _note_magic()
        return super().run_line_magic(*args, **named)

    def run_cell_magic(self, *args, **named):
        _note_magic()
        return super().run_cell_magic(*args, **named)

    def system(self, cmd):
        """!command: its output goes through sys.stdout, in order with what is printed."""
        from _atoll.programs import stream_program

        _note_magic()
        self.user_ns["_exit_code"] = stream_program(self.var_expand(cmd, depth=1))

    system_piped = system_raw = system


def _note_magic():
    global _magic_ran
    _magic_ran = True


def swallowed(interrupted):
    """What magics of this run only told of, though the run has failed by it; None otherwise."""
    global _magic_ran, _failure
    problem = _failure
    if problem is None and interrupted and _magic_ran:
        problem = KeyboardInterrupt()
    _magic_ran, _failure = False, None
    return problem


class Nothing(io.TextIOBase):
    """Takes all, keeps nothing."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


def close_null_device():
    """IPython has one open from its start, for nobody any more. A zygote without open files forks faster."""
    module = sys.modules.get("IPython.utils.io")
    if hasattr(module, "devnull"):
        module.devnull.close()
        module.devnull = Nothing()


def make_shell():
    """None if this IPython is not what is known here."""
    global _shell
    if _shell is not None:
        return _shell
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "NoColor"
    config.InteractiveShell.color_info = False
    config.InteractiveShell.cache_size = 0
    config.InteractiveShell.automagic = False
    database = getattr(interactiveshell, "PickleShareDB", None)
    kept, names = (sys.displayhook, sys.excepthook), dict(vars(builtins))
    try:
        interactiveshell.PickleShareDB = lambda *_, **__: {}  # the real one makes a folder
        _shell = ContextShell(config=config, user_module=type(sys)("__main__"))
        atexit.unregister(_shell.atexit_operations)
    except Exception as problem:
        _shell = None
        if "ATOLL_DRIVER_DEBUG" in os.environ:
            errors.print_traceback(problem)
    finally:
        interactiveshell.PickleShareDB = database
        sys.displayhook, sys.excepthook = kept
        for name in [name for name in vars(builtins) if name not in names]:
            delattr(builtins, name)  # a script that the zygote starts is not to find them
    return _shell


def attach(main, publisher):
    """Makes it the shell of `main`; returns what turns its language into Python, or None."""
    shell = make_shell()
    if shell is None:
        return None
    shell.display_pub.send = publisher.publish
    shell.user_module, shell.user_ns = main, vars(main)
    shell.history_manager.dir_hist[:] = [os.getcwd()]
    shell.user_ns["_dh"] = shell.user_ns_hidden["_dh"] = shell.history_manager.dir_hist
    shell.user_ns_hidden.update(shell.user_ns)
    for kind in type(shell).__mro__:
        if hasattr(kind, "_instance"):
            kind._instance = shell
    from IPython.core.display_functions import display
    from IPython.core.page import as_hook, display_page

    shell.set_hook("show_in_pager", as_hook(display_page), 90)
    builtins.display, builtins.get_ipython, builtins.__IPYTHON__ = display, shell.get_ipython, True
    bundle.rich_formatter = _forms_of
    return shell.transform_cell


def _forms_of(value):
    global _held
    _held = []
    try:
        forms, _ = _shell.display_formatter.format(value)
        problems = _held
    finally:
        _held = None
    if "text/plain" in forms:  # otherwise the error is the run's
        for problem in problems:
            errors.print_traceback(problem)
    elif not forms and callable(getattr(type(value), "_ipython_display_", None)):
        return None
    return forms
