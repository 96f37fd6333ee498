"""Recursion without a cache: moves of the towers, the Ackermann function, permutations."""


def hanoi(n, source, target, spare):
    if n == 0:
        return []
    return hanoi(n - 1, source, spare, target) + [(n, source, target)] + hanoi(n - 1, spare, target, source)


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


def permutations(items):
    if not items:
        yield []
    for i, first in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1:]):
            yield [first] + rest


for disk, source, target in hanoi(3, "A", "C", "B"):
    print(f"disk {disk}: {source} -> {target}")
print("moves for 12 disks:", len(hanoi(12, "A", "C", "B")))
print("ackermann:", [ackermann(2, n) for n in range(6)])
print(["".join(p) for p in permutations(list("abc"))])
