"""Containers: heaps, bisection, deques, counters, ordered and chained dictionaries."""
import bisect
import collections
import heapq

heap = []
for priority, task in ((3, "write"), (1, "plan"), (2, "test"), (1, "ask")):
    heapq.heappush(heap, (priority, task))
print([heapq.heappop(heap) for _ in range(4)], heapq.nlargest(3, [5, 1, 9, 7]),
      list(heapq.merge([1, 4], [2, 3])))
marks = [60, 70, 80, 90]
print(["FDCBA"[bisect.bisect(marks, s)] for s in (33, 99, 77, 70, 89, 90)])
recent = collections.deque(maxlen=3)
for i in range(6):
    recent.append(i)
recent.rotate(1)
print(recent, collections.Counter("mississippi").most_common(2))
counts = collections.Counter(a=3, b=1) - collections.Counter(a=1, b=2)
print(counts, +counts, collections.ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
cache = collections.OrderedDict(a=1, b=2, c=3)
cache.move_to_end("a")
cache.popitem(last=False)
print(list(cache), collections.namedtuple("Pair", "left right", defaults=[0])(5))


def running_median(numbers):
    low, high = [], []
    for n in numbers:
        heapq.heappush(high, -heapq.heappushpop(low, -n))
        if len(high) > len(low):
            heapq.heappush(low, -heapq.heappop(high))
        yield -low[0] if len(low) > len(high) else (high[0] - low[0]) / 2


print(list(running_median([5, 15, 1, 3, 8, 7])))
