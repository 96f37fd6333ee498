"""SIGINT in a context: ends the user's code and nothing else.

Whose code is running is read off the stack, so there is no flag that could be wrong for a moment: an
interrupt that comes just as a run ends finds only the driver at work, and is ignored.
"""
import _signal

from _atoll import PREFIX


# Handlers of the user's for these run in the user's code only: one that raises would hit the driver.
TIMERS = {_signal.SIGALRM, _signal.SIGVTALRM, _signal.SIGPROF}
HELD_BACK = TIMERS | {_signal.SIGUSR1, _signal.SIGUSR2, _signal.SIGCHLD, _signal.SIGIO, _signal.SIGWINCH,
                      *range(_signal.SIGRTMIN, _signal.SIGRTMAX + 1)}


class Interrupts:
    def __init__(self, wire, prepared, execute):
        """`prepared`: the functions of the driver that call the user's code, ready for what it raises.
        `execute`: what goes on in this one counts as the user's code, part of which may be still to come."""
        self._wire, self._send, self._execute = wire, wire.send.__code__, execute.__code__
        self._prepared = frozenset(function.__code__ for function in prepared)
        self._users = None  # a handler that the user's code has put in place of ours
        self.raised = False
        _signal.signal(_signal.SIGINT, self.handle)
        _signal.signal(_signal.SIGURG, _nothing)  # the host's, so that a system call looks whether there was another

    def handle(self, _number, frame):
        others = sending = False
        while frame is not None and frame.f_code not in self._prepared:
            if not frame.f_code.co_filename.startswith(PREFIX) or frame.f_code is self._execute:
                others = True
            elif not others and frame.f_code is self._send:
                sending = True
            frame = frame.f_back
        if frame is None or not others:
            return
        self.raised = True
        if sending:
            self._wire.deferred = True
        else:
            raise KeyboardInterrupt

    def begin_run(self):
        self.raised = self._wire.deferred = False
        if self._users is not None:
            _signal.signal(_signal.SIGINT, self._users)
            self._users = None
        for number in _signal.sigpending() & TIMERS:  # meant for a run that is over
            handler = _signal.signal(number, _signal.SIG_IGN)
            _signal.signal(number, handler)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, HELD_BACK)

    def end_run(self):
        """May be called again, when a handler of the user's has raised into it."""
        _signal.pthread_sigmask(_signal.SIG_BLOCK, HELD_BACK)
        handler = _signal.getsignal(_signal.SIGINT)
        if handler != self.handle:
            self._users = handler
            _signal.signal(_signal.SIGINT, self.handle)

    def leave_to_default(self):
        """For a forked child, which is a program of the user's like any other."""
        if _signal.getsignal(_signal.SIGINT) == self.handle:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _nothing(_number, _frame):
    pass
