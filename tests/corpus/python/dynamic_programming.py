"""Tables: edit distance with its path, knapsack, longest increasing run, coins, matrix chain."""
import bisect
import functools


def edit(a, b):
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y)))
        rows.append(row)
    return rows[-1][-1]


def knapsack(items, room):
    best = [(0, ())] * (room + 1)
    for name, weight, value in items:
        for space in range(room, weight - 1, -1):
            candidate = best[space - weight]
            best[space] = max(best[space], (candidate[0] + value, candidate[1] + (name,)))
    return best[room]


def increasing(numbers):
    tails = []
    for n in numbers:
        at = bisect.bisect_left(tails, n)
        tails[at:at + 1] = [n]
    return len(tails)


def coins(amount, kinds):
    ways = [1] + [0] * amount
    for coin in kinds:
        for i in range(coin, amount + 1):
            ways[i] += ways[i - coin]
    return ways[amount]


@functools.cache
def chain(sizes):
    if len(sizes) < 3:
        return 0
    return min(chain(sizes[:k + 1]) + chain(sizes[k:]) + sizes[0] * sizes[k] * sizes[-1]
               for k in range(1, len(sizes) - 1))


print(edit("kitten", "sitting"), edit("", "abc"), edit("intention", "execution"), edit("grün", "grun"))
print(knapsack([("map", 9, 150), ("tin", 68, 45), ("rope", 32, 65), ("tent", 61, 90), ("cup", 12, 35)], 120))
print(increasing([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]))
print([coins(n, (1, 2, 5, 10, 20, 50, 100, 200)) for n in (5, 10, 50, 200)])
print(chain((30, 35, 15, 5, 10, 20, 25)))
