"""Small programs whose output and end must not depend on how they are started.

Each is (name, code, arguments, stdin). Those in COMMANDS are whole command lines; {folder} is replaced.
"""

PROGRAMS = [
    ("hello", "print('hello', 1 + 1)", (), ""),
    ("arguments", "import sys\nprint(sys.argv, sys.path[0] in ('', sys.path[0]), __name__)", ("a", "b c", "-x"), ""),
    ("input", "name = input('name? ')\nprint('hi', name)\nimport sys\nprint(sys.stdin.read().upper())", (), "ann\nrest\nmore"),
    ("no input", "input()", (), ""),
    ("zero division", "def f(x):\n    return 1 / x\n\nf(0)", (), ""),
    ("chained", "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('bad') from e", (), ""),
    ("syntax error", "x = = 1\n", (), ""),
    ("indentation error", "if True:\npass\n", (), ""),
    ("null byte in a string", "print(repr('a\\0b'))", (), ""),
    ("exit number", "import sys\nprint('before')\nsys.exit(3)", (), ""),
    ("exit text", "import sys\nsys.exit('a message')", (), ""),
    ("exit none", "raise SystemExit", (), ""),
    ("exit big", "raise SystemExit(2 ** 70)", (), ""),
    ("exit negative", "raise SystemExit(-1)", (), ""),
    ("exit object", "raise SystemExit([1, 2])", (), ""),
    ("os._exit", "import os\nprint('seen', flush=True)\nos._exit(9)", (), ""),
    ("recursion", "def f(n):\n    return f(n + 1)\nf(0)", (), ""),
    ("recursion depth", "import sys\ndef depth(n):\n    try:\n        return depth(n + 1)\n    except RecursionError:\n"
                        "        return n\nprint(depth(0), sys.getrecursionlimit())", (), ""),
    ("recursion limit", "import sys\nsys.setrecursionlimit(5000)\nprint(sys.getrecursionlimit())\n"
                        "def f(n): return n if n == 0 else f(n - 1)\nprint(f(4500))", (), ""),
    ("atexit", "import atexit\natexit.register(print, 'one')\natexit.register(print, 'two')\nprint('end')", (), ""),
    ("atexit error", "import atexit\natexit.register(lambda: 1/0)\nprint('end')", (), ""),
    ("atexit after error", "import atexit\natexit.register(print, 'cleanup')\nraise ValueError('v')", (), ""),
    ("finalizer", "class A:\n    def __init__(self, n): self.n = n\n    def __del__(self): print('del', self.n)\n"
                  "a = A(1)\nb = A(2)\ndel a\nprint('end')", (), ""),
    ("finalizer in a cycle", "class A:\n    def __del__(self): print('del')\na = A()\na.me = a\nprint('end')", (), ""),
    ("generator is closed", "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nit = g()\nnext(it)\nprint('end')", (), ""),
    ("weakref finalize", "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone')\nprint('end')", (), ""),
    ("thread", "import threading, time\ndef work():\n    time.sleep(0.05)\n    print('work done')\nthreading.Thread(target=work).start()\nprint('main done')", (), ""),
    ("thread error", "import threading\nt = threading.Thread(target=lambda: 1/0, name='T')\nt.start()\nt.join()\nprint('end')", (), ""),
    ("daemon thread", "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\nprint('end')", (), ""),
    ("excepthook", "import sys\nsys.excepthook = lambda kind, value, tb: print('hook', kind.__name__, value)\nraise KeyError('k')", (), ""),
    ("traceback in a handler", "import traceback\ndef f():\n    raise ValueError('v')\ntry:\n    f()\nexcept ValueError:\n    traceback.print_exc()", (), ""),
    ("keyboard interrupt", "raise KeyboardInterrupt", (), ""),
    ("kill", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", (), ""),
    ("interrupt by signal", "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(10)", (), ""),
    ("signals", "import signal\nprint([signal.getsignal(s) for s in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGTERM)], "
                "signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.pthread_sigmask(0, ()))", (), ""),
    ("streams", "import sys\nfor s in (sys.stdin, sys.stdout, sys.stderr):\n"
                "    print(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through, type(s.buffer).__name__, s.fileno())", (), ""),
    ("both streams", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'\\xff\\xfe\\n')", (), ""),
    ("unicode", "print('é€😀')\nprint('x\\udc80')", (), ""),
    ("lone surrogate", "print('\\ud800')", (), ""),
    ("globals", "print(sorted(globals()))\nprint(__doc__, __package__, __spec__, __annotations__)", (), ""),
    ("loader", "print(__loader__ if isinstance(__loader__, type) else type(__loader__).__name__)", (), ""),
    ("main module", "import sys\nprint(sys.modules['__main__'].__dict__ is globals())\nimport __main__\nx = 5\nprint(__main__.x)", (), ""),
    ("pickle", "import pickle\nclass P: pass\nprint(type(pickle.loads(pickle.dumps(P()))) is P)", (), ""),
    ("multiprocessing", "import multiprocessing as mp\ndef f(n): return n * n\nif __name__ == '__main__':\n"
                        "    with mp.get_context('fork').Pool(2) as pool:\n        print(pool.map(f, range(5)))", (), ""),
    ("subprocess", "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6*7)'], capture_output=True, text=True).stdout)", (), ""),
    ("fork", "import os\npid = os.fork()\nif pid == 0:\n    print('child', flush=True)\n    raise SystemExit(4)\n"
             "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))", (), ""),
    ("asyncio", "import asyncio\nasync def main():\n    await asyncio.sleep(0.001)\n    print('async')\nasyncio.run(main())", (), ""),
    ("warning", "import warnings\nwarnings.warn('careful')\nwarnings.warn('old', DeprecationWarning)", (), ""),
    ("syntax warning", "x = 1\nprint(x is 1)", (), ""),
    ("unraisable", "class A:\n    def __del__(self): raise ValueError('in del')\nA()\nprint('end')", (), ""),
    ("environment", "import os\nprint(sorted(k for k in os.environ if k not in ('_', 'SHLVL', 'PWD', 'OLDPWD')))\n"
                    "os.environ['NEW'] = 'v'\nos.system('echo $NEW')", (), ""),
    ("descriptors", "import os\nfd = os.open('/dev/null', 0)\nprint(fd, os.get_inheritable(fd), sorted(os.listdir('/proc/self/fd'))[:3])", (), ""),
    ("flags", "import sys\nprint(sys.flags.optimize, sys.flags.isolated, sys.flags.no_site, sys.dont_write_bytecode, sys.executable)", (), ""),
    ("future", "from __future__ import annotations\ndef f(x: Missing): pass\nprint(f.__annotations__)", (), ""),
    ("docstring", "'''doc'''\nprint(__doc__)", (), ""),
    ("time zone", "import time\nprint(time.tzname)", (), ""),
    ("locale", "import locale, sys\nprint(locale.setlocale(locale.LC_CTYPE), sys.getfilesystemencoding(), locale.getpreferredencoding())", (), ""),
    ("logging", "import logging\nlogging.basicConfig(format='%(levelname)s %(message)s')\nlogging.warning('w')\nlogging.getLogger('x').error('e')", (), ""),
    ("modules left", "import sys\nprint('get_ipython' in dir(__builtins__), 'display' in dir(__builtins__), print)", (), ""),
    ("exception group", "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])", (), ""),
    ("hanging output", "import sys\nsys.stdout.write('no newline')", (), ""),
    ("closed stdout", "import sys\nsys.stdout.close()", (), ""),
    ("assert", "assert 1 == 2, 'unequal'", (), ""),
    ("import error", "import nosuchmodule", (), ""),
    ("name error hint", "value = 1\nprint(valeu)", (), ""),
    ("big output", "for i in range(3000): print(i, 'x' * 50)", (), ""),
    ("empty", "", (), ""),
]

COMMANDS = [
    ("file", ["{folder}/tool.py", "one", "two"], {}),
    ("relative file", ["tool.py"], {}),
    ("dotted file", ["./tool.py"], {}),
    ("file through a link", ["link.py"], {}),
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
    ("search path", ["-c", "import neighbour, sys; print(neighbour.__file__, sys.path[1])"], {"PYTHONPATH": "{folder}/more"}),
    ("hash seed", ["-c", "print(hash('a'))"], {"PYTHONHASHSEED": "1"}),
    ("buffered", ["-c", "import sys; print(sys.stdout.write_through, sys.stdout.line_buffering); sys.stdout.write('x')"], {"PYTHONUNBUFFERED": ""}),
    ("no byte code", ["-c", "import sys; print(sys.dont_write_bytecode)"], {"PYTHONDONTWRITEBYTECODE": "1"}),
    ("time zone", ["-c", "import time; print(time.tzname, time.localtime(0).tm_hour)"], {"TZ": "EST5EDT"}),
    ("plain locale", ["-c", "import os, sys; print(os.environ.get('LC_CTYPE'), sys.stdout.errors, ascii('é'), sys.stdout.encoding)"], {"LANG": "C"}),
    ("no locale", ["-c", "import os, sys; print(os.environ.get('LC_CTYPE'), sys.stdout.errors)"], {"LANG": ""}),
    ("another locale", ["-c", "import sys; print(sys.stdout.encoding, sys.stdout.errors)"], {"LC_ALL": "nowhere_XX.UTF-8"}),
    ("ascii only", ["-c", "import sys; print(sys.stdout.encoding, sys.stdout.errors)"], {"LC_ALL": "C"}),
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
    "package/__main__.py": "import sys\nprint('main of package', sys.argv[1:], __package__, __spec__ is not None)\n",
    "package/bad.py": "import sys\n\nraise RuntimeError('bad module')\n",
    "more/neighbour.py": "",
    "data.json": '{"a": [1, 2]}',
}


def write_files(folder):
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "link.py").symlink_to(folder / "more" / "linked.py")
    (folder / "more" / "linked.py").write_text(FILES["tool.py"])
