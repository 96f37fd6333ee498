"""A signal without a handler ends the program: status 128 + 15, and no atexit."""
import atexit
import os
import signal

atexit.register(print, "never printed")
print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
signal.pause()
