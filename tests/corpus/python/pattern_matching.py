"""match: sequences, mappings, classes, guards, alternatives, nested structures."""
import dataclasses


@dataclasses.dataclass
class Num:
    value: float


@dataclasses.dataclass
class Op:
    sign: str
    left: object
    right: object


def evaluate(tree):
    match tree:
        case Num(value):
            return value
        case Op("+", left, right):
            return evaluate(left) + evaluate(right)
        case Op("*", Num(0), _) | Op("*", _, Num(0)):
            return 0
        case Op("*", left, right):
            return evaluate(left) * evaluate(right)
        case Op(sign=sign):
            raise ValueError(f"no operator {sign}")


def describe(thing):
    match thing:
        case []:
            return "empty list"
        case [x]:
            return f"one item {x}"
        case [first, *_, last]:
            return f"from {first} to {last}"
        case {"type": "point", "at": (x, y)} if x == y:
            return f"diagonal point {x}"
        case {"type": kind, **rest}:
            return f"{kind} with {sorted(rest)}"
        case int(n) | float(n) if n < 0:
            return "negative"
        case bool() | None:
            return "flag"
        case str() as text:
            return text.upper()
        case _:
            return type(thing).__name__


print(evaluate(Op("+", Num(2), Op("*", Num(3), Num(4)))), evaluate(Op("*", Op("?", 1, 2), Num(0))))
try:
    evaluate(Op("-", Num(1), Num(2)))
except ValueError as error:
    print(error)
for thing in ([], [1], (1, 2, 3), {"type": "point", "at": (2, 2)}, {"type": "line", "from": 1}, -3, True,
              "abc", 4j):
    print(describe(thing))
