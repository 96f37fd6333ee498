"""JSON: nesting, escapes, order, numbers, encoders of one's own, errors with their place."""
import dataclasses
import json


@dataclasses.dataclass
class Point:
    x: int
    y: float


data = {"text": "quote \" slash \\ tab\t é 🙂", "list": [1, 2.5, -0.0, 1e100, True, None],
        "nested": {"b": {}, "a": []}}
print(json.dumps(data))
print(json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True))
print(json.loads(json.dumps(data)) == data)
print(json.dumps(Point(1, 2.5), default=dataclasses.asdict), json.dumps({1: "a", None: "b", True: "c"}))
print(json.loads('{"x": 1, "y": 2}', object_hook=lambda d: Point(**d)), json.loads('"\\ud83d\\ude00"'))
print(json.loads("[1.10, 3]", parse_float=str), json.loads('{"a":1,"a":2}', object_pairs_hook=list))
print(json.loads("123456789012345678901234567890"), json.dumps(float("inf")))
for bad in ('{"a": }', "[1,]", '"open', "[1] x", "", "nul"):
    try:
        json.loads(bad)
    except json.JSONDecodeError as error:
        print(f"{bad!r}: {error}")
try:
    json.dumps({"s": {1, 2}})
except TypeError as error:
    print(error)
