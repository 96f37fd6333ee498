"""The status given to sys.exit is the program's; finally blocks and atexit run first."""
import atexit
import sys

atexit.register(print, "registered first, runs last")
atexit.register(print, "registered last, runs first")
try:
    sys.exit(7)
finally:
    print("finally")
