"""os._exit ends at once: no atexit, no finally; the status keeps its low eight bits."""
import atexit
import os

atexit.register(print, "never printed")
print("now", flush=True)
try:
    os._exit(256 + 41)
finally:
    print("never printed either")
