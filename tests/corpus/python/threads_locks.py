"""Lock, Condition, Semaphore, Barrier, Event and thread-local data working together."""
import threading

total, lock = 0, threading.Lock()
seen = threading.local()
gate, barrier = threading.Event(), threading.Barrier(4)
slots = threading.BoundedSemaphore(2)
inside, most = 0, 0
leaders = []


def work(number):
    global total, inside, most
    gate.wait()
    seen.count = 0
    for _ in range(500):
        with lock:
            total += number
        seen.count += 1
    with slots:
        with lock:
            inside += 1
            most = max(most, inside)
        with lock:
            inside -= 1
    if barrier.wait() == 0:
        leaders.append(seen.count)


threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3, 4)]
for thread in threads:
    thread.start()
gate.set()
for thread in threads:
    thread.join()
print(total, leaders, most in (1, 2), hasattr(seen, "count"))

turns, ready = [], threading.Condition()


def player(me, other):
    for _ in range(3):
        with ready:
            ready.wait_for(lambda: (turns[-1] if turns else "pong") == other)
            turns.append(me)
            ready.notify_all()


pair = [threading.Thread(target=player, args=names) for names in (("ping", "pong"), ("pong", "ping"))]
for thread in pair:
    thread.start()
for thread in pair:
    thread.join()
print(turns)
