"""The end of a process, as the interpreter would have it but without taking its modules apart.

Freeing pandas takes 70 ms and copies pages that a forked child shares with its zygote; nobody sees it.
What can be seen is kept: threads are waited for, atexit functions run, objects of __main__ and of the
user's modules are finalized, output is flushed.
"""
import os
import sys

ENDING_SECONDS = 10
# Until the end that was told has reached whoever waits for it: to take a process apart keeps a
# processor for 2 ms, and nobody else gets it meanwhile.
REST_SECONDS = 0.005

_early = False  # this process was forked by a zygote
_status = None  # of the program that has ended
_interrupted = False
_modules_before = 0
_before_exit = None


def leave(status):
    """Ends a context: its threads are not waited for, nobody would see what they do."""
    import _signal
    import atexit

    _signal.setitimer(_signal.ITIMER_REAL, ENDING_SECONDS)
    _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGALRM})
    try:
        atexit._run_exitfuncs()
    finally:
        flush()
        os._exit(status)


def end_early():
    """For a zygote's child, before it runs a program. The zygote registered _last() before all others."""
    global _early, _modules_before
    _early, _modules_before = True, len(sys.modules)


def status_of(code):
    """What the interpreter makes of the code of a SystemExit."""
    if code is None:
        return 0
    if not issubclass(type(code), int):
        return 1
    number = int.__index__(code)  # not by methods of the user's own
    return number & 0xFF if -(1 << 63) <= number < 1 << 63 else 0xFF


def before_exit(function):
    global _before_exit
    _before_exit = function


def set_status(status, interrupted=False):
    global _status, _interrupted
    _status, _interrupted = status, interrupted


def end(status):
    """The end of the interpreter as far as anybody sees it: it would free its script first, and copy that."""
    set_status(status)
    if not _early:
        return
    threads = sys.modules.get("threading")
    if threads is not None:
        threads._shutdown()
    import atexit

    atexit._run_exitfuncs()


def last():
    """The last of the atexit functions, called when the interpreter has done all but the taking apart."""
    if not _early or _status is None or not flush():
        return  # the interpreter tells of output that cannot be written
    _drop_users_modules()
    flush()
    if _interrupted:
        import _signal

        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        os.kill(os.getpid(), _signal.SIGINT)
    seat = sys.modules.get("_atoll.seat")
    if seat is not None and seat.tell_end(_status):
        import time

        time.sleep(REST_SECONDS)
    if _before_exit is not None:
        _before_exit()
    os._exit(_status)


def _drop_users_modules():
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)
    library = os.path.dirname(os.__file__)
    for name in _new_modules():
        file = getattr(sys.modules[name], "__file__", None) or library
        if not file.startswith(library) and "-packages/" not in file:
            del sys.modules[name]
    sys.modules.pop("__main__", None)
    import gc

    gc.collect()


def _new_modules():
    """The dict's last entries; to look at the others would copy the pages that they are on."""
    names, modules = [], reversed(sys.modules)
    for _ in range(len(sys.modules) - _modules_before):
        names.append(next(modules))
    return names


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except AttributeError:
            pass
        except (OSError, ValueError):
            return False
    return True
