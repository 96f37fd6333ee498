"""Deep recursion ends in an error that a program can handle, at the same depth each time."""
import sys


def depth(n=1):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


sys.setrecursionlimit(1000)
reached = depth()
print(900 < reached <= 1000, depth() == reached)
try:
    down(5000)
except RecursionError as error:
    print(type(error).__name__, error)
sys.setrecursionlimit(20000)
print(down(15000))
nested = []
for _ in range(30000):
    nested = [nested]
try:
    repr(nested)
except RecursionError as error:
    print(error)
