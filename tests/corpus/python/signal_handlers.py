"""Signals to oneself: handlers, ignoring, a one-shot alarm, an interval timer, a mask."""
import os
import signal
import time

me, seen = os.getpid(), []


def note(number, frame):
    seen.append(signal.Signals(number).name)


def until(count):
    while len(seen) < count:
        time.sleep(0.001)


for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, note)
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    os.kill(me, number)
print(seen)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
os.kill(me, signal.SIGHUP)
print(len(seen))

seen.clear()
signal.setitimer(signal.ITIMER_REAL, 0.01)
until(1)
print(seen, signal.getitimer(signal.ITIMER_REAL))
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
until(4)
signal.setitimer(signal.ITIMER_REAL, 0)
print(set(seen))

seen.clear()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGUSR2])
os.kill(me, signal.SIGUSR2)
os.kill(me, signal.SIGUSR1)
print(seen, sorted(s.name for s in signal.sigpending()))
print(signal.sigwait([signal.SIGUSR2]).name)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
print(seen)
