# Runs the solution for a judge in another sandbox: argv is its file, and "coverage" where that is
# wanted. Follows wire.py. What the solution prints goes with the next answer.
import asyncio, os, sys, traceback, types

FILE, COVERAGE = sys.argv[1], "coverage" in sys.argv[2:]
LONGEST = 256 * 1024


class Printed:
    def __init__(self, fd):
        import tempfile
        self.file = tempfile.TemporaryFile()
        os.dup2(self.file.fileno(), fd)
        self.seen = 0

    def take(self):
        size = os.fstat(self.file.fileno()).st_size
        text = os.pread(self.file.fileno(), min(size - self.seen, LONGEST), self.seen).decode("utf-8", "replace")
        self.seen = 0
        os.ftruncate(self.file.fileno(), 0)
        os.lseek(self.file.fileno(), 0, os.SEEK_SET)
        return text


class Callback:
    """A function of the test."""

    def __init__(self, wire, number):
        self._wire, self._number = wire, number

    def __call__(self, *args, **kwargs):
        wire = self._wire
        say({"cb": self._number, "a": wire.encode(list(args)), "k": {n: wire.encode(v) for n, v in kwargs.items()}})
        answer = serve(until="answer")
        if "x" in answer:
            raise RuntimeError("the test's function raised " + str(answer["x"]))
        return wire.decode(answer["r"])


class Solution(Wire):
    def encode_object(self, v):
        if isinstance(v, Callback):
            return {"$": "m", "i": v._number}
        if isinstance(v, type) and issubclass(v, BaseException):
            return self.encode_class(v)
        if isinstance(v, BaseException):
            return {"$": "x", **self.encode_error(v, "")}
        return {"$": "h", "i": self.keep(v), "c": callable(v), "n": type(v).__name__}

    def decode_object(self, tag, v):
        if tag == "m":
            return self.own[v["i"]]
        return Callback(self, v["i"])


wire = Solution()
lines_run = set()
to_judge = os.fdopen(os.dup(1), "w", encoding="utf-8")
from_judge = os.fdopen(os.dup(0), "r", encoding="utf-8")
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
printed = Printed(1), Printed(2)


def say(message):
    sys.stdout.flush()
    sys.stderr.flush()
    message["out"], message["err"] = printed[0].take(), printed[1].take()
    to_judge.write(json.dumps(message) + "\n")
    to_judge.flush()


def watch(frame, event, arg):
    if frame.f_code.co_filename != FILE:
        return None
    if event == "line":
        lines_run.add(frame.f_lineno)
    return watch


def lines_of(code):
    found = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= lines_of(constant)
    return found


def load():
    module = types.ModuleType("solution")
    module.__file__ = FILE
    sys.modules["solution"] = module
    sys.path.insert(0, os.path.dirname(FILE))
    with open(FILE, encoding="utf-8") as file:
        module.__dict__["__atoll_code__"] = code = compile(file.read(), FILE, "exec")
    if COVERAGE:
        sys.settrace(watch)
    exec(code, module.__dict__)
    return module


def coverage():
    code = sys.modules["solution"].__dict__["__atoll_code__"]
    wanted = lines_of(code)
    return {"lines": len(wanted), "covered": len(wanted & lines_run), "missing": sorted(wanted - lines_run)}


def do(request):
    op, args = request["op"], wire.decode(request.get("a", []))
    if op == "load":
        return load()
    if op == "coverage":
        return coverage()
    thing = wire.own[request["h"]]
    if op == "get":
        return getattr(thing, request["n"])
    if op == "set":
        return setattr(thing, request["n"], args[0])
    if op == "names":
        return [n for n in vars(thing) if not n.startswith("__")]
    if op == "bool":
        return bool(thing)
    if op == "text":
        return {"repr": repr, "str": str, "dir": dir}[request["n"]](thing)
    if op == "isinstance":
        return isinstance(args[0], thing)
    if op == "await":
        async def wait():
            return await thing
        return asyncio.run(wait())
    if op == "special":
        if not hasattr(type(thing), request["n"]):
            raise TypeError(type(thing).__name__ + " has no " + request["n"])
        return getattr(type(thing), request["n"])(thing, *args)
    before = request.get("a", [])
    kwargs = {n: wire.decode(v) for n, v in request.get("k", {}).items()}
    result = thing(*args, **kwargs)
    after = [wire.encode(a) if isinstance(a, (list, dict, set, bytearray)) else None for a in args]
    changed = [[i, a] for i, a in enumerate(after) if a is not None and a != before[i]]
    if changed:
        request["changed"] = changed
    return result


def serve(until):
    for line in from_judge:
        request = json.loads(line)
        if "op" not in request:
            return request
        try:
            answer = {"r": wire.encode(do(request))}
            if "changed" in request:
                answer["m"] = request["changed"]
        except BaseException as error:  # SystemExit as well: it is the solution's
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-4000:]
            answer = {"x": wire.encode_error(error, text)}
        say(answer)
    os._exit(0)


serve(until="end")
