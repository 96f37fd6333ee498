"""Makes a forked interpreter like one that was just started: for a zygote's child, inside its sandbox."""
import _locale
import _signal
import io
import os
import sys
import time

# Of the PYTHON… variables, those that are seen to here, or that change nothing for a program.
UNDERSTOOD = frozenset(("PYTHONUNBUFFERED", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE",
                        "PYTHONSTARTUP"))
# Of an execution that asks for nothing else (src/sandbox/exec_args.cpp); another one costs a little time.
USUAL = (
    b"HOME=/workspace", b"LANG=C.UTF-8",
    b"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/atoll/bin", b"PYTHONUNBUFFERED=1",
    b"TMPDIR=/tmp", b"USER=user")
C_LOCALES = ("C", "POSIX")
MT19937_BYTES = 624 * 4
ESCAPING_LOCALES = ("C", "POSIX", "C.UTF-8", "C.utf8", "UTF-8")

_settled = None  # the zygote's environment, if a child may have it as it is; and what _ways() is for it
_settled_locale = None  # _named_locale() of the zygote, if it is one of UTF-8
_library_path = None  # sys.path without the entry for the program
_signals = ()  # those that a child has to set, and to what
_is_prepared = False


def remember():
    """Called by the zygote, before it loads anything; returns the path to load from."""
    global _library_path
    _library_path = sys.path[1:] if not getattr(sys.flags, "safe_path", False) else sys.path[:]
    return _library_path


def settle():
    """Called by the zygote when all is loaded: what need not be done in every child."""
    global _settled, _settled_locale, _signals
    for folder in [folder for folder in sys.path_importer_cache if not folder.startswith(sys.prefix)]:
        del sys.path_importer_cache[folder]
    if _set_environment(USUAL) and _set_locale():
        _settled, _settled_locale = (list(USUAL), _ways()), _named_locale()
    time.tzset()
    _signals = tuple(_changed_signals())


def prepare():
    """In a child that may not know its environment yet: all that does not depend on it."""
    global _is_prepared
    if _is_prepared:
        return
    _is_prepared = True
    _signal.set_wakeup_fd(-1)
    for number, wanted in _signals:
        _signal.signal(number, wanted)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    _reseed()


def become(environment):
    """Takes on an environment. False if only an interpreter's start can do what it asks for."""
    prepare()
    usual = _settled is not None and environment == _settled[0]
    understood = usual or _take_on(environment)
    errors, unbuffered, path, packages = _settled[1] if usual else _ways()
    _open_streams(errors, unbuffered)
    sys.path[:] = path
    if packages is not None and os.path.isdir(packages):
        _add_packages(packages)
    return understood


def _take_on(environment):
    had_zone = os.environ.get("TZ")
    understood = _set_environment(environment) and (_named_locale() == _settled_locale or _set_locale())
    if had_zone or os.environ.get("TZ"):
        time.tzset()
    return understood


def _set_environment(environment):
    os.environ.clear()
    understood = True
    for variable in environment:
        name, equals, value = variable.partition(b"=")
        if not equals or not name or b"\0" in variable:
            continue
        name = os.fsdecode(name)
        if name not in os.environ:
            os.environ[name] = os.fsdecode(value)
        if name.startswith("PYTHON") and value and name not in UNDERSTOOD:
            understood = understood and (name, value) == ("PYTHONHASHSEED", b"random")
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    return understood


def _named_locale():
    """What decides on LC_CTYPE."""
    return [os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")]


def _set_locale():
    """As at a start: the environment's, and C.UTF-8 instead of C. False if the encoding is another one."""
    try:
        name = _locale.setlocale(_locale.LC_CTYPE, "")
    except _locale.Error:
        name = "C"
    if name in C_LOCALES and not os.environ.get("LC_ALL"):
        try:
            _locale.setlocale(_locale.LC_CTYPE, "C.UTF-8")
            os.environ["LC_CTYPE"] = "C.UTF-8"
        except _locale.Error:
            return False
    return _locale.nl_langinfo(_locale.CODESET).upper() == "UTF-8"


def _changed_signals():
    """With those that a zygote itself changes."""
    first = {_signal.SIGINT: _signal.default_int_handler, _signal.SIGPIPE: _signal.SIG_IGN,
             _signal.SIGXFSZ: _signal.SIG_IGN}
    for number in _signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP}:
        wanted = first.get(number, _signal.SIG_DFL)
        if _signal.getsignal(number) is not wanted or number in (_signal.SIGCHLD, _signal.SIGINT):
            yield number, wanted


def _ways():
    """What the environment says of streams and imports: (errors, unbuffered, path, the user's own packages)."""
    errors = "surrogateescape" if _locale.setlocale(_locale.LC_CTYPE) in ESCAPING_LOCALES else "strict"
    packages = None
    if not os.environ.get("PYTHONNOUSERSITE") and not sys.flags.no_user_site:
        packages = os.path.expanduser("~/.local/lib/python%d.%d/site-packages" % sys.version_info[:2])
    return errors, bool(os.environ.get("PYTHONUNBUFFERED")), _path(), packages


def _open_streams(errors, unbuffered):
    sys.stdin = sys.__stdin__ = _stream(0, "stdin", errors, unbuffered)
    sys.stdout = sys.__stdout__ = _stream(1, "stdout", errors, unbuffered)
    sys.stderr = sys.__stderr__ = _stream(2, "stderr", "backslashreplace", unbuffered)


def _stream(fd, name, errors, unbuffered):
    reads = fd == 0
    buffer = io.open(fd, "rb" if reads else "wb", 0 if unbuffered and not reads else -1, closefd=False)
    getattr(buffer, "raw", buffer).name = "<%s>" % name
    lines = not unbuffered and (fd == 2 or buffer.isatty())
    stream = io.TextIOWrapper(buffer, "utf-8", errors, newline="\n", line_buffering=lines,
                              write_through=unbuffered)
    stream.mode = "r" if reads else "w"
    return stream


def _path():
    """With an entry in front that the mode fills in."""
    named = [part or os.getcwd() for part in os.environ.get("PYTHONPATH", "").split(":")] \
        if os.environ.get("PYTHONPATH") else []
    return ([""] if not getattr(sys.flags, "safe_path", False) else []) + named + _library_path


def _add_packages(folder):
    if folder in sys.path:
        return
    import site

    before = len(sys.path)
    site.addsitedir(folder)
    added = sys.path[before:]
    del sys.path[before:]
    place = next((i for i, entry in enumerate(sys.path) if entry.endswith("-packages")), before)
    sys.path[place:place] = added


def _reseed():
    """Whatever would be the same in all children, and does not see to that itself after a fork, as `random` does.
    The hash seed stays: it belongs to the interpreter."""
    loaded = sys.modules.get
    if loaded("numpy.random"):
        _reseed_numpy(loaded("numpy.random"), loaded("numpy"))
    if loaded("_ssl"):  # OpenSSL knows a fork by its pid, and in sandboxes all have the same
        loaded("_ssl").RAND_add(os.urandom(32), 32.0)
    if loaded("tempfile"):
        loaded("tempfile")._name_sequence = loaded("tempfile").tempdir = None
    if loaded("uuid"):
        loaded("uuid")._last_timestamp = loaded("uuid")._node = None
    if loaded("multiprocessing.process"):
        loaded("multiprocessing.process").current_process().authkey = os.urandom(32)


def _reseed_numpy(generator, numpy):
    """Its seed() has the same result, and copies a hundred pages on the way."""
    try:
        generator.set_state(("MT19937", numpy.frombuffer(os.urandom(MT19937_BYTES), "u4"), MT19937_BYTES // 4))
    except Exception:  # a module has put another generator in its place
        generator.seed()
