"""SIGINT is a KeyboardInterrupt; not caught, it ends the program with status 130 and a traceback."""
import os
import signal

try:
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()
except KeyboardInterrupt:
    print("caught one")


def wait():
    signal.raise_signal(signal.SIGINT)


wait()
print("not reached")
