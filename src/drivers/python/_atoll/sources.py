"""The code of past runs, for tracebacks and inspect.getsource(); the oldest go first."""
import sys

KEPT_BYTES = 8 << 20

_cells = {}
_kept = 0


def add(name, source):
    global _kept
    _cells[name] = source
    _kept += len(source)
    while _kept > KEPT_BYTES and len(_cells) > 1:
        oldest = next(iter(_cells))
        _kept -= len(_cells.pop(oldest))
        if "linecache" in sys.modules:
            sys.modules["linecache"].cache.pop(oldest, None)
    if "linecache" in sys.modules:
        _tell(sys.modules["linecache"], name, source)


def tell_all(linecache):
    for name, source in _cells.items():
        _tell(linecache, name, source)


def _tell(linecache, name, source):
    # Without a time of modification, checkcache() leaves the entry alone.
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)


def forget_all():
    global _kept
    _cells.clear()
    _kept = 0
