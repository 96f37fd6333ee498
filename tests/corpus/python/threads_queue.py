"""Workers fed by a queue; what they did is the same in whatever order they did it."""
import queue
import threading

jobs, results = queue.Queue(maxsize=4), queue.Queue()


def work():
    while (n := jobs.get()) is not None:
        results.put((n, sum(d for d in range(1, n) if n % d == 0)))
        jobs.task_done()
    jobs.task_done()


workers = [threading.Thread(target=work, name=f"w{i}") for i in range(4)]
for worker in workers:
    worker.start()
for n in range(1, 500):
    jobs.put(n)
jobs.join()
for _ in workers:
    jobs.put(None)
for worker in workers:
    worker.join()
sums = dict(results.queue)
print(len(sums), "perfect:", [n for n, s in sorted(sums.items()) if s == n])
pairs = [(n, s) for n, s in sums.items() if n < s and sums.get(s) == n]
print("amicable:", sorted(pairs), threading.active_count())
