"""Loads what a zygote's children are to find loaded, and survives modules that will not load."""
import _signal
import os
import sys

SECONDS_EACH, SECONDS_ALL = 30, 120
STANDARD = """
    asyncio base64 collections contextlib copy dataclasses datetime decimal enum functools hashlib inspect io
    itertools json linecache logging math operator pathlib pickle random re runpy selectors shutil signal site
    socket statistics string struct subprocess tempfile textwrap threading time traceback typing urllib.parse
    uuid warnings weakref""".split()
OURS = """
    bundle charts context display errors figures finish forks interrupts mainmodule programs recursion script
    seat shell sources spare streams usage watch wire""".split()


class Stopped(BaseException):
    """Raised in a module that would end or stop the zygote."""


def prepare(names, with_ipython):
    """Loads and warms up; (loaded, {missing: reason}) of the named modules."""
    import faulthandler

    # Against a module that blocks in C code, where no signal handler of Python's runs.
    faulthandler.dump_traceback_later(float(os.environ.get("ATOLL_ZYGOTE_LOAD") or SECONDS_ALL), exit=True)
    try:
        with _folder_for_caches():
            told = load(names, with_ipython)
            warm_up()
            return told
    finally:
        faulthandler.cancel_dump_traceback_later()
        _signal.alarm(0)  # the launcher's, in case that not even this file can be loaded


def _folder_for_caches():
    """Where matplotlib finds none it makes one, and removes it at the end: once in every child."""
    import contextlib
    import tempfile

    if os.environ.get("MPLCONFIGDIR"):
        return contextlib.nullcontext()
    try:
        folder = tempfile.TemporaryDirectory()
    except OSError:
        return contextlib.nullcontext()
    os.environ["MPLCONFIGDIR"] = folder.name
    return folder


def load(names, with_ipython):
    loaded, missing = [], {}
    sys.argv[:] = [""]
    # Threads would not live in a forked child, and libraries that have them wait for them there.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    for name in STANDARD:
        _reason_against(name)
    for name in OURS:
        __import__("_atoll." + name)
    if with_ipython:
        names = ["IPython"] + [name for name in names if name != "IPython"]
    for name in names:
        reason = _reason_against(name)
        if reason is None:
            loaded.append(name)
        else:
            missing[name] = reason
    return loaded, missing


def _reason_against(name):
    """None when the module is loaded."""
    kept = os._exit, os.getcwd(), sys.stdout, sys.stderr, sys.getrecursionlimit(), sys.excepthook

    def no_exit(status=0):
        raise Stopped("it calls os._exit(%s)" % status)

    def out_of_time(*_):
        raise Stopped("it takes more than %s seconds" % seconds)

    seconds = float(os.environ.get("ATOLL_ZYGOTE_IMPORT") or SECONDS_EACH)
    os._exit = no_exit
    _signal.signal(_signal.SIGALRM, out_of_time)
    try:
        try:
            _signal.setitimer(_signal.ITIMER_REAL, seconds, 0.5)  # again, if it catches the first
            __import__(name)
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
        return None
    except Stopped as problem:
        return str(problem)
    except SystemExit as problem:
        return "it calls sys.exit(%s)" % (problem.code,)
    except BaseException as problem:
        return _told(problem)
    finally:
        os._exit, cwd, sys.stdout, sys.stderr, limit, sys.excepthook = kept
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
        sys.setrecursionlimit(limit)
        try:
            os.chdir(cwd)
        except OSError:
            pass


def _told(problem):
    try:
        return ("%s: %s" % (type(problem).__name__, problem))[:500]
    except Exception:
        return type(problem).__name__


def warm_up():
    """Does once what every context does first, for the imports and caches that come with it."""
    from _atoll import bundle, errors, shell, sources

    cells = shell.Shell({"__name__": "__main__"})
    values = [{"a": [1, 2.5, None]}, [1], object()]
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if "_ssl" in sys.modules:
        sys.modules["_ssl"].RAND_bytes(1)  # sets up its generator: 8 ms, against 0.1 to reseed it
    if "IPython" in sys.modules:
        from _atoll import ipython

        ipython.close_null_device()
        made = ipython.make_shell()
        if made is not None:
            made.transform_cell("%time 1\n!true\n")
            bundle.rich_formatter = lambda value: made.display_formatter.format(value)[0]
    try:
        if numpy is not None:
            values.append(numpy.arange(3.0))
        if pandas is not None:
            values.append(pandas.DataFrame({"a": [1, 2], "b": ["x", None]}))
        for value in values:
            bundle.encode(bundle.of(value))
        cells.execute("1 + 1\n", 1)
        try:
            cells.execute("1 / 0", 2)
        except ZeroDivisionError as problem:
            errors.describe(problem)
        if "matplotlib.pyplot" in sys.modules:
            _draw_once()
    except Exception as problem:
        errors.print_traceback(problem)
    finally:
        bundle.rich_formatter = None
        sources.forget_all()
        sys.modules["linecache"].clearcache()


def _draw_once():
    from matplotlib.figure import Figure

    from _atoll import figures

    figure = Figure()
    figure.subplots().plot([1, 2], [1, 2])
    figures.bundle_of(figure)
