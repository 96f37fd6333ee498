"""SIGCHLD when children end; each is waited for exactly once."""
import os
import signal

ended = {}


def reap(number, frame):
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        ended[pid] = os.waitstatus_to_exitcode(status)


signal.signal(signal.SIGCHLD, reap)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
pids = []
for code in (0, 3, 250):
    pid = os.fork()
    if pid == 0:
        os._exit(code)
    pids.append(pid)
victim = os.fork()
if victim == 0:
    signal.pause()
    os._exit(1)
os.kill(victim, signal.SIGKILL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
while len(ended) < 4:
    try:
        signal.sigtimedwait([], 0.01)
    except InterruptedError:
        pass
print([ended[pid] for pid in pids], ended[victim])
try:
    os.waitpid(-1, 0)
except ChildProcessError as error:
    print(error.strerror)
