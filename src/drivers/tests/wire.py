# What the judge of a test file and the solution's process say to each other: one JSON value a line.
# Plain data goes by value; an object that is none stays with its owner and goes as a number. Both
# ends begin with this text. Nothing that is read can make code run: no pickle, no names looked up.
import base64, builtins, datetime, decimal, fractions, json, numbers, uuid

VALUES = {
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "fraction": (fractions.Fraction, str, fractions.Fraction),
    "datetime": (datetime.datetime, lambda v: v.isoformat(), datetime.datetime.fromisoformat),
    "date": (datetime.date, lambda v: v.isoformat(), datetime.date.fromisoformat),
    "time": (datetime.time, lambda v: v.isoformat(), datetime.time.fromisoformat),
    "timedelta": (datetime.timedelta, lambda v: repr((v.days, v.seconds, v.microseconds)),
                  lambda t: datetime.timedelta(*json.loads("[" + t.strip("()") + "]"))),
    "uuid": (uuid.UUID, str, uuid.UUID),
}
BATCHES = {"t": (tuple, list), "s": (set, list), "f": (frozenset, list)}


class Wire:
    """Encodes and decodes. `own` keeps what the other side has a number of."""

    def __init__(self):
        self.own = {}

    def keep(self, thing):
        self.own[id(thing)] = thing
        return id(thing)

    def encode(self, v):
        if v is None or isinstance(v, bool):
            return v
        if isinstance(v, str):
            return str.__str__(v)
        if isinstance(v, int):
            return int.__int__(v)
        if isinstance(v, float):
            return float.__float__(v)
        if isinstance(v, list):
            return [self.encode(x) for x in list.__iter__(v)]
        if isinstance(v, dict):
            return {"$": "d", "v": [[self.encode(k), self.encode(x)] for k, x in dict.items(v)]}
        for tag, (kind, _) in BATCHES.items():
            if isinstance(v, kind):
                return {"$": tag, "v": [self.encode(x) for x in kind.__iter__(v)]}
        if isinstance(v, (bytes, bytearray)):
            return {"$": "b" if isinstance(v, bytes) else "a", "v": base64.b64encode(v).decode()}
        if isinstance(v, complex):
            return {"$": "c", "v": [v.real, v.imag]}
        if v is NotImplemented:
            return {"$": "n"}
        for name, (kind, text, _) in VALUES.items():
            if type(v) is kind:
                return {"$": "v", "n": name, "v": text(v)}
        if isinstance(v, numbers.Integral):
            return int(v)
        return self.encode_object(v)

    def decode(self, v):
        if isinstance(v, list):
            return [self.decode(x) for x in v]
        if not isinstance(v, dict):
            return v
        tag = v["$"]
        if tag == "d":
            return {self.decode(k): self.decode(x) for k, x in v["v"]}
        if tag in BATCHES:
            return BATCHES[tag][0](self.decode(x) for x in v["v"])
        if tag == "b":
            return base64.b64decode(v["v"])
        if tag == "a":
            return bytearray(base64.b64decode(v["v"]))
        if tag == "c":
            return complex(*v["v"])
        if tag == "n":
            return NotImplemented
        if tag == "v":
            return VALUES[v["n"]][2](v["v"])
        return self.decode_object(tag, v)

    def encode_class(self, cls):
        """A class of exceptions: its name, and the ones of Python that it is made of."""
        bases = [c.__name__ for c in cls.__mro__ if getattr(builtins, c.__name__, None) is c]
        return {"$": "e", "i": self.keep(cls), "n": cls.__name__, "b": bases, "p": cls.__name__ == bases[0]}

    def encode_error(self, error, text):
        known = {}
        for name, value in list(vars(error).items()):
            if not name.startswith("__"):
                known[name] = self.encode(value)
        return {"c": self.encode_class(type(error)), "a": self.encode(list(error.args)), "v": known, "t": text}
