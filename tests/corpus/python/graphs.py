"""Graphs: breadth first, Dijkstra, topological order, components, a cycle, minimal spanning tree."""
import collections
import graphlib
import heapq

roads = {("a", "b"): 7, ("a", "c"): 9, ("a", "f"): 14, ("b", "c"): 10, ("b", "d"): 15, ("c", "d"): 11,
         ("c", "f"): 2, ("d", "e"): 6, ("e", "f"): 9, ("x", "y"): 1}
near = collections.defaultdict(dict)
for (p, q), length in roads.items():
    near[p][q] = near[q][p] = length


def shortest(start):
    best, queue = {}, [(0, start, start)]
    while queue:
        distance, node, before = heapq.heappop(queue)
        if node in best:
            continue
        best[node] = (distance, before)
        for other, length in near[node].items():
            heapq.heappush(queue, (distance + length, other, node))
    return best


def levels(start):
    seen, ring, out = {start}, [start], []
    while ring:
        out.append(sorted(ring))
        ring = [n for n in dict.fromkeys(n for m in ring for n in near[m]) if n not in seen]
        seen.update(ring)
    return out


parent = {n: n for n in near}


def find(n):
    while parent[n] != n:
        n = parent[n]
    return n


print(shortest("a"))
print(levels("a"))
tree = []
for (p, q), length in sorted(roads.items(), key=lambda item: item[1]):
    if find(p) != find(q):
        parent[find(p)] = find(q)
        tree.append(length)
print("tree", sum(tree), "components", len({find(n) for n in near}))
jobs = {"boots": {"socks"}, "coat": {"shirt", "belt"}, "belt": {"trousers"}, "shoes": {"boots", "trousers"}}
order = list(graphlib.TopologicalSorter(jobs).static_order())
print(all(order.index(a) < order.index(b) for b, needs in jobs.items() for a in needs), len(order))
try:
    list(graphlib.TopologicalSorter({1: {2}, 2: {3}, 3: {1}}).static_order())
except graphlib.CycleError as error:
    print("cycle", sorted(set(error.args[1])))
