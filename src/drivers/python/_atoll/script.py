"""Runs a program once, exactly as `python3 …` would: for a zygote's child, which saves the start.

Whatever is not plainly -c CODE, -m MODULE or FILE, and whatever does not compile, is left to the real
interpreter: nothing of the user's has happened by then.
"""
import os
import sys
from _functools import partial

from _atoll import finish, mainmodule, recursion

# The driver's script and, where the interpreter counts it, the call of the job.
FRAMES_BELOW = 2 if sys.version_info < (3, 12) else 1


def prepare(argv, usual=None):
    """What to call at the top level for this command line; argv[0] is the interpreter.

    `usual`: the modules that a fresh interpreter would have loaded, if this one has more.
    """
    words = argv[1:]
    while words and words[0] == "-u":
        words = words[1:]
    if len(words) > 1 and words[0] == "-c":
        job = _code(words)
    elif len(words) > 1 and words[0] == "-m":
        job = _module(words)
    elif words and words[0] and not words[0].startswith("-"):
        job = _file(words)
    else:
        job = None
    if job is None or (usual is not None and _has_namesakes(sys.path[0], usual)):
        run_real_interpreter(argv)
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = argv
    recursion.hide(FRAMES_BELOW)
    return job


def _code(words):
    code = _compiled(words[1], "<string>")
    if code is None:
        return None
    if sys.version_info >= (3, 13):  # its tracebacks show lines of -c code
        import linecache

        linecache._register_code("<string>", words[1], "<string>")
    _take_over([words[0]] + words[2:], "")
    return partial(exec, code, vars(mainmodule.new_main()))


def _module(words):
    if words[1] in sys.modules:
        return None  # preloaded, and it must run afresh
    import runpy

    _take_over(["-m"] + words[2:], os.getcwd())
    mainmodule.new_main()
    return partial(runpy._run_module_as_main, words[1], True)


def _file(words):
    try:
        if not os.path.isfile(words[0]):  # a folder with __main__.py, a device, nothing at all
            return None
        with open(words[0], "rb") as file:
            source = file.read()
    except OSError:
        return None
    path = os.path.join(os.getcwd(), words[0]) if sys.version_info >= (3, 9) else words[0]
    code = None if b"\0" in source else _compiled(source, path)  # a NUL: an archive or compiled code
    if code is None:
        return None
    from _frozen_importlib_external import SourceFileLoader

    _take_over(words, os.path.dirname(os.path.realpath(path)))
    main = mainmodule.new_main()
    main.__loader__ = SourceFileLoader("__main__", path)
    main.__file__, main.__cached__ = path, None
    return partial(exec, code, vars(main))


def _compiled(source, name):
    """None if it does not compile. Warnings come only if it does: the real interpreter would repeat them."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        try:
            if isinstance(source, str):
                source.encode("utf-8")
            code = compile(source, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
    for warning in caught:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return code


def _has_namesakes(folder, usual):
    """Whether the program's folder has a module of its own by the name of one that is loaded here."""
    try:
        with os.scandir(folder or ".") as entries:
            for entry in entries:
                name, _, suffix = entry.name.partition(".")
                if name in sys.modules and name not in usual and name != "__main__":
                    if suffix in ("py", "pyc") or suffix.endswith("so"):
                        return True
                    if not suffix and os.path.exists(os.path.join(entry.path, "__init__.py")):
                        return True
    except OSError:
        pass
    return False


def _take_over(argv, path0):
    sys.argv[:] = argv
    if sys.path and not getattr(sys.flags, "safe_path", False):
        sys.path[0] = path0


def run_real_interpreter(argv):
    import _signal

    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    try:
        os.execv(sys.executable or argv[0], argv)
    except (OSError, ValueError) as problem:
        os.write(2, b"%b: %b\n" % (os.fsencode(argv[0]), os.fsencode(str(problem))))
    os._exit(127)


def ended(problem):
    """The program has ended, by this exception or without one; the interpreter does the rest."""
    from _atoll import main

    main.set_job(None)
    if problem is None:
        finish.end(0)
    elif isinstance(problem, SystemExit):
        if problem.code is None or isinstance(problem.code, int):
            finish.end(finish.status_of(problem.code))
        finish.set_status(finish.status_of(problem.code))
    else:
        finish.set_status(1, isinstance(problem, KeyboardInterrupt))
        _hide_our_frame()


def _hide_our_frame():
    hook = sys.excepthook

    def excepthook(kind, problem, tb):
        tb = tb.tb_next if tb is not None else None
        problem.__traceback__ = tb
        hook(kind, problem, tb)

    sys.excepthook = excepthook
