"""Small programs whose output and end must not depend on how they are started."""

# Each begins with a line "=== name"; after a bar, its arguments; after "<", its input (\\n for a line's end).
_PROGRAMS = r"""
=== hello
print('hello', 1 + 1)
=== arguments | a | b c | -x
import sys
print(sys.argv, sys.path[0] in ('', sys.path[0]), __name__)
=== input < ann\nrest\nmore
name = input('name? ')
print('hi', name)
import sys
print(sys.stdin.read().upper())
=== no input
input()
=== zero division
def f(x):
    return 1 / x

f(0)
=== chained
try:
    {}['k']
except KeyError as e:
    raise ValueError('bad') from e
=== syntax error
x = = 1
=== indentation error
if True:
pass
=== null byte in a string
print(repr('a\0b'))
=== exit number
import sys
print('before')
sys.exit(3)
=== exit text
import sys
sys.exit('a message')
=== exit none
raise SystemExit
=== exit big
raise SystemExit(2 ** 70)
=== exit negative
raise SystemExit(-1)
=== exit object
raise SystemExit([1, 2])
=== os._exit
import os
print('seen', flush=True)
os._exit(9)
=== recursion
def f(n):
    return f(n + 1)
f(0)
=== recursion depth
import sys
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(depth(0), sys.getrecursionlimit())
=== recursion limit
import sys
sys.setrecursionlimit(5000)
print(sys.getrecursionlimit())
def f(n): return n if n == 0 else f(n - 1)
print(f(4500))
=== atexit
import atexit
atexit.register(print, 'one')
atexit.register(print, 'two')
print('end')
=== atexit error
import atexit
atexit.register(lambda: 1/0)
print('end')
=== atexit after error
import atexit
atexit.register(print, 'cleanup')
raise ValueError('v')
=== finalizer
class A:
    def __init__(self, n): self.n = n
    def __del__(self): print('del', self.n)
a = A(1)
b = A(2)
del a
print('end')
=== finalizer in a cycle
class A:
    def __del__(self): print('del')
a = A()
a.me = a
print('end')
=== generator is closed
def g():
    try:
        yield 1
    finally:
        print('closed')
it = g()
next(it)
print('end')
=== weakref finalize
import weakref
class A: pass
a = A()
weakref.finalize(a, print, 'gone')
print('end')
=== thread
import threading, time
def work():
    time.sleep(0.05)
    print('work done')
threading.Thread(target=work).start()
print('main done')
=== thread error
import threading
t = threading.Thread(target=lambda: 1/0, name='T')
t.start()
t.join()
print('end')
=== daemon thread
import threading, time
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print('end')
=== excepthook
import sys
sys.excepthook = lambda kind, value, tb: print('hook', kind.__name__, value)
raise KeyError('k')
=== traceback in a handler
import traceback
def f():
    raise ValueError('v')
try:
    f()
except ValueError:
    traceback.print_exc()
=== keyboard interrupt
raise KeyboardInterrupt
=== kill
import os, signal
os.kill(os.getpid(), signal.SIGTERM)
=== interrupt by signal
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(10)
=== signals
import signal
print([signal.getsignal(s) for s in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGTERM)])
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.pthread_sigmask(0, ()))
=== streams
import sys
for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through)
    print(type(s.buffer).__name__, s.fileno())
=== both streams
import sys
print('out')
print('err', file=sys.stderr)
sys.stdout.buffer.write(b'\xff\xfe\n')
=== unicode
print('é€😀')
print('x\udc80')
=== lone surrogate
print('\ud800')
=== globals
print(sorted(globals()))
print(__doc__, __package__, __spec__, __annotations__)
=== loader
print(__loader__ if isinstance(__loader__, type) else type(__loader__).__name__)
=== main module
import sys
print(sys.modules['__main__'].__dict__ is globals())
import __main__
x = 5
print(__main__.x)
=== pickle
import pickle
class P: pass
print(type(pickle.loads(pickle.dumps(P()))) is P)
=== multiprocessing
import multiprocessing as mp
def f(n): return n * n
if __name__ == '__main__':
    with mp.get_context('fork').Pool(2) as pool:
        print(pool.map(f, range(5)))
=== subprocess
import subprocess, sys
print(subprocess.run([sys.executable, '-c', 'print(6*7)'], capture_output=True, text=True).stdout)
=== fork
import os
pid = os.fork()
if pid == 0:
    print('child', flush=True)
    raise SystemExit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
=== asyncio
import asyncio
async def main():
    await asyncio.sleep(0.001)
    print('async')
asyncio.run(main())
=== warning
import warnings
warnings.warn('careful')
warnings.warn('old', DeprecationWarning)
=== syntax warning
x = 1
print(x is 1)
=== unraisable
class A:
    def __del__(self): raise ValueError('in del')
A()
print('end')
=== environment
import os
print(sorted(k for k in os.environ if k not in ('_', 'SHLVL', 'PWD', 'OLDPWD')))
os.environ['NEW'] = 'v'
os.system('echo $NEW')
=== descriptors
import os
fd = os.open('/dev/null', 0)
print(fd, os.get_inheritable(fd), sorted(os.listdir('/proc/self/fd'))[:3])
=== flags
import sys
print(sys.flags.optimize, sys.flags.isolated, sys.flags.no_site, sys.dont_write_bytecode, sys.executable)
=== future
from __future__ import annotations
def f(x: Missing): pass
print(f.__annotations__)
=== docstring
'''doc'''
print(__doc__)
=== time zone
import time
print(time.tzname)
=== locale
import locale, sys
print(locale.setlocale(locale.LC_CTYPE), sys.getfilesystemencoding(), locale.getpreferredencoding())
=== logging
import logging
logging.basicConfig(format='%(levelname)s %(message)s')
logging.warning('w')
logging.getLogger('x').error('e')
=== modules left
import sys
print('get_ipython' in dir(__builtins__), 'display' in dir(__builtins__), print)
=== exception group
raise ExceptionGroup('g', [ValueError(1), TypeError(2)])
=== hanging output
import sys
sys.stdout.write('no newline')
=== closed stdout
import sys
sys.stdout.close()
=== assert
assert 1 == 2, 'unequal'
=== import error
import nosuchmodule
=== name error hint
value = 1
print(valeu)
=== big output
for i in range(3000): print(i, 'x' * 50)
=== empty
"""


def _read(text):
    """(name, code, arguments, stdin) of each."""
    for block in text.strip("\n").split("=== ")[1:]:
        head, _, code = block.partition("\n")
        head, _, stdin = head.partition(" < ")
        name, *arguments = head.split(" | ")
        yield name, code.rstrip("\n"), tuple(arguments), stdin.replace("\\n", "\n")


PROGRAMS = list(_read(_PROGRAMS))

# Whole command lines, and variables; {folder} is replaced.
COMMANDS = [
    ("file", ["{folder}/tool.py", "one", "two"], {}),
    ("relative file", ["tool.py"], {}),
    ("dotted file", ["./tool.py"], {}),
    ("file through a link", ["link.py"], {}),
    ("file beside a namesake of the library's", ["shadowed/uses.py"], {}),
    ("package beside a program", ["-m", "shadowed.uses"], {}),
    ("file that imports its neighbour", ["uses.py"], {}),
    ("file with an error", ["fails.py"], {}),
    ("file with a bad encoding", ["latin.py"], {}),
    ("file with an encoding line", ["coded.py"], {}),
    ("empty file", ["empty.py"], {}),
    ("missing file", ["missing.py"], {}),
    ("folder with a main", ["package"], {}),
    ("module", ["-m", "package", "x"], {}),
    ("module of the library", ["-m", "json.tool", "data.json"], {}),
    ("missing module", ["-m", "nosuchmodule"], {}),
    ("failing module", ["-m", "package.bad"], {}),
    ("unbuffered", ["-u", "-c", "print(1)"], {}),
    ("optimised", ["-O", "-c", "assert False; print(__debug__)"], {}),
    ("isolated", ["-I", "-c", "import sys; print(sys.flags.isolated, sys.path[0][:1])"], {}),
    ("version", ["--version"], {}),
    ("unknown option", ["--nonsense"], {}),
    ("code without code", ["-c"], {}),
    ("code glued on", ["-cprint(5)"], {}),
    ("warnings as errors", ["-W", "error", "-c", "import warnings; warnings.warn('x')"], {}),
    ("search path", ["-c", "import neighbour, sys; print(neighbour.__file__, sys.path[1])"],
     {"PYTHONPATH": "{folder}/more"}),
    ("hash seed", ["-c", "print(hash('a'))"], {"PYTHONHASHSEED": "1"}),
    ("buffered", ["-c", "from sys import stdout; print(stdout.write_through, stdout.line_buffering)"],
     {"PYTHONUNBUFFERED": ""}),
    ("no byte code", ["-c", "import sys; print(sys.dont_write_bytecode)"], {"PYTHONDONTWRITEBYTECODE": "1"}),
    ("time zone", ["-c", "import time; print(time.tzname, time.localtime(0).tm_hour)"], {"TZ": "EST5EDT"}),
    ("plain locale", ["shows_locale.py"], {"LANG": "C"}),
    ("no locale", ["shows_locale.py"], {"LANG": ""}),
    ("another locale", ["shows_locale.py"], {"LC_ALL": "nowhere_XX.UTF-8"}),
    ("ascii only", ["shows_locale.py"], {"LC_ALL": "C"}),
    ("user packages", ["-c", "import ofuser; print(ofuser.__file__)"], {"HOME": "{folder}/home"}),
]

FILES = {
    "tool.py": "import sys\nprint(sys.argv, __file__, __name__, sys.path[0], __cached__, __spec__)\n",
    "neighbour.py": "class Loud:\n    def __del__(self): print('neighbour gone')\nit = Loud()\nvalue = 7\n",
    "uses.py": "import neighbour\nprint(neighbour.value, neighbour.__file__)\n",
    "fails.py": "import neighbour\n\ndef f():\n    raise ValueError('from a file')\n\nf()\n",
    "latin.py": "print('é')\n".encode("latin-1"),
    "coded.py": "# -*- coding: latin-1 -*-\nprint('é')\n".encode("latin-1"),
    "empty.py": "",
    "package/__init__.py": "",
    "shows_locale.py": "import os, sys\nprint(os.environ.get('LC_CTYPE'), sys.stdout.errors)\n",
    "package/__main__.py": "import sys\nprint('main', sys.argv[1:], __package__, __spec__ is not None)\n",
    "package/bad.py": "import sys\n\nraise RuntimeError('bad module')\n",
    "more/neighbour.py": "",
    "shadowed/uses.py": "import random, json\nprint(random.__file__, json.__file__, dir(json)[0])\n",
    "shadowed/random.py": "",
    "shadowed/json/__init__.py": "",
    "data.json": '{"a": [1, 2]}',
}


def write_files(folder):
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "link.py").symlink_to(folder / "more" / "linked.py")
    (folder / "more" / "linked.py").write_text(FILES["tool.py"])
