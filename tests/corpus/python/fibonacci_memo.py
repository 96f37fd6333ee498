"""Recursion with a cache: large Fibonacci numbers and how often each was asked for."""
import functools


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print([fib(n) for n in range(15)])
print(fib(300))
info = fib.cache_info()
print("hits", info.hits, "misses", info.misses)
