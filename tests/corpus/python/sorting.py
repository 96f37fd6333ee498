"""Sorting by hand and by library: stability, keys, several keys, partial order."""
import functools
import operator


def merge_sort(items):
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right, out = merge_sort(items[:middle]), merge_sort(items[middle:]), []
    while left and right:
        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return out + left + right


def quick_sort(items):
    if not items:
        return []
    pivot, *rest = items
    return quick_sort([x for x in rest if x < pivot]) + [pivot] + quick_sort([x for x in rest if x >= pivot])


numbers = [(i * 7919) % 101 for i in range(60)]
print(merge_sort(numbers) == quick_sort(numbers) == sorted(numbers), merge_sort(numbers)[:8])
people = [("Eve", 30), ("bob", 25), ("Ann", 30), ("dan", 25), ("Cid", 41)]
print(sorted(people, key=operator.itemgetter(1)))
print(sorted(people, key=lambda p: (-p[1], p[0].lower())))
print(sorted(sorted(people), key=lambda p: p[1], reverse=True))
versions = ["1.10", "1.9", "1.2.1", "1.2", "2.0", "1.2.10"]
print(sorted(versions), sorted(versions, key=lambda v: [int(n) for n in v.split(".")]))
by_last = functools.cmp_to_key(lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
print(sorted(["abc", "xya", "mab", "zzb"], key=by_last))
try:
    sorted([1, "a"])
except TypeError as error:
    print(error)
