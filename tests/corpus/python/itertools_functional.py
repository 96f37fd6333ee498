"""Functional tools: itertools, functools, operator, zip and slices."""
import functools
import itertools
import operator

print(list(itertools.accumulate([1, 2, 3, 4], operator.mul)), list(itertools.chain([1], (2,), "3")))
print(["".join(c) for c in itertools.combinations("abcd", 2)],
      len(list(itertools.product(range(3), repeat=4))))
print([(key, len(list(group))) for key, group in itertools.groupby("aaabccdda")],
      list(itertools.pairwise("abc")))
print(list(itertools.zip_longest([1, 2, 3], "a", fillvalue="-")),
      list(itertools.starmap(pow, [(2, 3), (3, 2)])))
a, b = itertools.tee(iter(range(5)))
print(list(a), list(itertools.compress(b, [1, 0, 1, 0, 1])), list(itertools.filterfalse(str.isdigit, "a1b2")))
print(functools.reduce(lambda x, y: x * 10 + y, [4, 0, 9, 6]), functools.partial(int, base=2)("1011"))


@functools.singledispatch
def size(thing):
    return "unknown"


@size.register
def _(thing: str):
    return f"{len(thing)} letters"


@size.register(list)
@size.register(tuple)
def _(thing):
    return f"{len(thing)} items"


print(size("abc"), size([1]), size((1, 2)), size(3))
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(row) for row in zip(*matrix)], [x for row in matrix for x in row if x % 2],
      {k: v for k, v in zip("ab", matrix)})
numbers = list(range(10))
numbers[2:8:2] = "xyz"
del numbers[-3:]
print(numbers, numbers[::-1][:3], slice(1, None, 3).indices(10), any([]), all([]), sum([[1], [2]], []))
first, *middle, last = "hello"
print(first, middle, last, sorted({3, 1, 2} ^ {2, 5}), (lambda *a, **k: (a, k))(*[1], **{"z": 2}))
