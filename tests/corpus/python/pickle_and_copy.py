"""Copies: shallow, deep, with cycles, through pickle; objects that say how they are stored."""
import copy
import io
import pickle


class Node:
    def __init__(self, name):
        self.name, self.links, self.cache = name, [], object()

    def __getstate__(self):
        return {"name": self.name, "links": self.links}

    def __setstate__(self, state):
        self.__dict__.update(state, cache=None)


class Safe(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


a, b = Node("a"), Node("b")
a.links.append(b)
b.links.append(a)
twin = pickle.loads(pickle.dumps(a))
print(twin.name, twin.links[0].name, twin.links[0].links[0] is twin, twin.cache)
values = {"set": {1}, "bytes": b"\0", "big": 2**100, "text": "ü", "nested": [[1], (2, None)], "f": 1.5}
print(all(pickle.loads(pickle.dumps(values, p)) == values for p in range(pickle.HIGHEST_PROTOCOL + 1)))
shallow, deep = copy.copy(values), copy.deepcopy(values)
values["nested"][0].append(9)
print(shallow["nested"], deep["nested"])
loop = [1]
loop.append(loop)
again = copy.deepcopy(loop)
print(again[1] is again, again)
try:
    Safe(io.BytesIO(pickle.dumps(a))).load()
except pickle.UnpicklingError as error:
    print(error)
try:
    pickle.dumps(lambda: 1)
except (pickle.PicklingError, AttributeError) as error:
    print(type(error).__name__)
