"""A thread pool: map keeps the order, failures stay with their future, callbacks run."""
import concurrent.futures as futures


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def check(n):
    if n % 3 == 0:
        raise ValueError(f"{n} is a multiple of three")
    return n * n


called = []
with futures.ThreadPoolExecutor(max_workers=3) as pool:
    print(list(pool.map(collatz, range(1, 28))))
    waiting = {pool.submit(check, n): n for n in range(1, 8)}
    for future in waiting:
        future.add_done_callback(lambda f: called.append(waiting[f]))
    done, pending = futures.wait(waiting)
for future, n in waiting.items():
    print(n, future.exception() or future.result())
print(len(done), len(pending), sorted(called))
