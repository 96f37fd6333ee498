"""What the interpreter has used, for the end of a run."""
import sys


def _load():
    """The library's module, whatever lies in the folder of the code; which may have one of that name."""
    known, path = sys.modules.get("resource"), sys.path[:]
    if known is not None:
        return known
    sys.path[:] = [folder for folder in path if folder]
    try:
        return __import__("resource")
    except ImportError:
        return None
    finally:
        sys.path[:] = path
        sys.modules.pop("resource", None)


_resource = _load()


def members():
    """Of the interpreter and the programs it has waited for, so far; as members of a message."""
    if _resource is None:
        return b""
    own, others = (_resource.getrusage(who) for who in (_resource.RUSAGE_SELF, _resource.RUSAGE_CHILDREN))
    return b',"cpu_user_us":%d,"cpu_system_us":%d,"memory_peak_kb":%d' % (
        (own.ru_utime + others.ru_utime) * 1e6, (own.ru_stime + others.ru_stime) * 1e6,
        max(own.ru_maxrss, others.ru_maxrss))
