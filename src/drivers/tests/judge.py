# Runs a test file with pytest, in a sandbox where nothing of the solution runs: `solution` is a
# stand-in whose functions are carried out by a process in another sandbox (wire.py, solution.py).
# argv: the file, and "coverage". One JSON object a line on stdout: {"call"} for the solution,
# {"test"}, {"end"}.
import os, sys, types

FILE = sys.argv[1]
LONGEST = 64 * 1024
to_server = os.fdopen(os.dup(1), "w", encoding="utf-8")
from_server = os.fdopen(os.dup(0), "r", encoding="utf-8")
os.dup2(os.open("/dev/null", os.O_RDWR), 0)
os.dup2(0, 1)


def tell(message):
    to_server.write(json.dumps(message) + "\n")
    to_server.flush()


class Gone(Exception):
    """The solution's process has ended."""


def error_class(v):
    bases = [getattr(builtins, n, None) for n in v["b"]]
    bases = [b for b in bases if isinstance(b, type) and issubclass(b, (Exception, SystemExit))] or [RuntimeError]
    if v.get("p"):
        return bases[0]
    # Every class that a test can catch it as, once.
    return type(str(v["n"]), (bases[0],), {"__module__": "solution"})


class Judge(Wire):
    def __init__(self):
        super().__init__()
        self.classes = {}
        self.gone = None

    def encode_object(self, v):
        if isinstance(v, Remote):
            return {"$": "m", "i": v._atoll_number}
        if isinstance(v, type) and getattr(v, "_atoll_number", None) is not None:
            return {"$": "m", "i": v._atoll_number}
        if callable(v):
            return {"$": "h", "i": self.keep(v)}
        if hasattr(v, "__next__"):
            return [self.encode(x) for x in v]
        raise TypeError("a solution takes plain data and functions, not " + type(v).__name__ +
                        ": it runs in another process")

    def class_of(self, v):
        if v["i"] not in self.classes:
            made = error_class(v)
            if not v.get("p"):
                made._atoll_number = v["i"]
            self.classes[v["i"]] = made
        return self.classes[v["i"]]

    def error_of(self, v):
        kind, args = self.class_of(v["c"]), self.decode(v["a"])
        try:
            error = kind(*args)
        except Exception:
            error = RuntimeError(str(v["c"]["n"]) + str(tuple(args)))
        for name, value in v["v"].items():
            try:
                setattr(error, name, self.decode(value))
            except Exception:
                pass
        if v.get("t") and hasattr(error, "add_note"):
            error.add_note("in the solution:\n" + str(v["t"]))
        return error

    def decode_object(self, tag, v):
        if tag == "m":
            return self.own[v["i"]]
        if tag == "e":
            return self.class_of(v)
        if tag == "x":
            return self.error_of(v)
        return Remote(v["i"], str(v.get("n", "")))

    def ask(self, op, number=None, name=None, args=(), kwargs=None):
        if self.gone is not None:
            raise Gone(self.gone)
        request = {"op": op, "h": number, "n": name, "a": self.encode(list(args))}
        if kwargs:
            request["k"] = {n: self.encode(v) for n, v in kwargs.items()}
        tell({"call": json.dumps(request)})
        while True:
            line = from_server.readline()
            answer = json.loads(line) if line else {"gone": "the server has left"}
            if "gone" in answer:
                self.gone = str(answer["gone"])
                raise Gone(self.gone)
            sys.stdout.write(answer.get("out", ""))
            sys.stderr.write(answer.get("err", ""))
            if "cb" in answer:
                tell({"call": json.dumps(self.call_back(answer))})
                continue
            for index, value in answer.get("m", ()):
                replace(args[index], self.decode(value))
            if "x" in answer:
                raise self.error_of(answer["x"])
            return self.decode(answer["r"])

    def call_back(self, answer):
        try:
            kwargs = {n: self.decode(v) for n, v in answer.get("k", {}).items()}
            return {"r": self.encode(self.own[answer["cb"]](*self.decode(answer["a"]), **kwargs))}
        except Exception as error:
            return {"x": repr(error)[:1000]}


def replace(mine, now):
    if isinstance(mine, (list, bytearray)):
        mine[:] = now
    elif isinstance(mine, (dict, set)):
        mine.clear()
        mine.update(now)


judge = Judge()
PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None))


class Remote:
    """An object of the solution. Equal to nothing but objects of the solution: a comparison with
    a value of the test is not left to the one who is judged."""

    def __init__(self, number, kind):
        object.__setattr__(self, "_atoll_number", number)
        object.__setattr__(self, "_atoll_kind", kind)

    def __getattr__(self, name):
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)
        return judge.ask("get", self._atoll_number, name)

    def __setattr__(self, name, value):
        judge.ask("set", self._atoll_number, name, [value])

    def __call__(self, *args, **kwargs):
        return judge.ask("call", self._atoll_number, None, args, kwargs)

    def __eq__(self, other):
        if not isinstance(other, Remote):
            return NotImplemented
        if self._atoll_number == other._atoll_number:
            return True
        return judge.ask("special", self._atoll_number, "__eq__", [other])

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __bool__(self):
        return judge.ask("bool", self._atoll_number) is True

    def __repr__(self):
        return str(judge.ask("text", self._atoll_number, "repr"))

    def __str__(self):
        return str(judge.ask("text", self._atoll_number, "str"))

    def __dir__(self):
        return judge.ask("text", self._atoll_number, "dir")

    def __instancecheck__(self, other):
        return judge.ask("isinstance", self._atoll_number, None, [other]) is True

    def __await__(self):
        return judge.ask("await", self._atoll_number)
        yield


def forward(name, with_plain):
    def special(self, *args):
        if not with_plain and any(isinstance(a, PLAIN) for a in args):
            return NotImplemented
        return judge.ask("special", self._atoll_number, name, args)
    setattr(Remote, name, special)


for _name in ("len iter next getitem setitem delitem contains hash int float index round abs neg pos invert "
              "add radd mul rmul matmul truediv rtruediv floordiv mod pow and or xor iadd enter exit reversed").split():
    forward("__" + _name + "__", True)
# With these a value of the test would be compared by the one who is judged.
for _name in "lt le gt ge sub rsub".split():
    forward("__" + _name + "__", False)


class StandIn(types.ModuleType):
    """`import solution`: loads it at the first use, so that what it prints belongs to a test."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        module = load(self)
        if name == "__all__":
            return judge.ask("names", module._atoll_number)
        return getattr(module, name)

    def __setattr__(self, name, value):
        if name.startswith("__"):
            self.__dict__[name] = value
        else:
            setattr(load(self), name, value)


def load(module):
    if "_atoll_module" not in module.__dict__:
        module.__dict__["_atoll_module"] = judge.ask("load")
    return module.__dict__["_atoll_module"]


class Reporter:
    def __init__(self):
        self.told = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::", 1)[-1]
        one = self.told.setdefault(name, {"outcome": None, "message": "", "seconds": 0.0})
        one["seconds"] += report.duration
        if report.failed:
            one["outcome"] = "failed" if report.when == "call" else "error"
            one["message"] = message_of(report)
        elif report.skipped and one["outcome"] is None:
            one["outcome"] = "skipped"
            one["message"] = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        elif report.when == "call" and one["outcome"] is None:
            one["outcome"] = "passed"
        if report.when == "teardown":
            tell({"test": {"name": name, "outcome": one["outcome"] or "error", "message": one["message"][-4000:],
                           "duration_ms": int(one["seconds"] * 1000), "stdout": report.capstdout[:LONGEST]}})

    def pytest_collection_finish(self, session):
        tell({"collected": [item.nodeid.split("::", 1)[-1] for item in session.items]})

    def pytest_collectreport(self, report):
        if report.failed:
            tell({"test": {"name": report.nodeid.rsplit("/", 1)[-1] or "collection", "outcome": "error", "message": report.longreprtext[-4000:],
                           "duration_ms": 0, "stdout": ""}})


def message_of(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return report.longreprtext
    notes = report.longreprtext.rpartition("in the solution:")[2] if "in the solution:" in report.longreprtext else ""
    return crash.message + ("\nin the solution:" + notes if notes and "in the solution:" not in crash.message else "")


try:
    import pytest
except ImportError:
    tell({"missing": "pytest"})
    sys.exit(0)
sys.modules["solution"] = StandIn("solution")
folder = os.path.dirname(FILE)
status = pytest.main(["-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "--rootdir", folder, FILE],
                     plugins=[Reporter()])
end = {"end": True}
if "coverage" in sys.argv[2:] and judge.gone is None and "_atoll_module" in sys.modules["solution"].__dict__:
    try:
        found = judge.ask("coverage")
        end["coverage"] = {n: found[n] for n in ("lines", "covered", "missing")}
    except Exception:
        pass
tell(end)
