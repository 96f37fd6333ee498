"""The Python driver: contexts, one-shot scripts, and the zygote that forks both.

Shipped as one script (bundle_driver.py); inside the sandbox it needs no file but the standard library.
Modules of the plain path import only what the interpreter has loaded or built in: a context starts in
the time of an interpreter. Everything else is imported where it is needed first.
"""

# File names of this package's code start with this: such frames are left out of tracebacks.
PREFIX = (lambda: 0).__code__.co_filename.rpartition("/")[0] + "/"
