"""Processes that share: Value under a lock, Array, Pipe, Queue, exit codes."""
import multiprocessing
import os
import signal
import sys

context = multiprocessing.get_context("fork")


def add(counter, cells, index):
    for _ in range(200):
        with counter.get_lock():
            counter.value += 1
    cells[index] = index * index


def echo(end):
    while (word := end.recv()) != "stop":
        end.send(word[::-1])
    end.close()


def produce(queue, start):
    for n in range(start, start + 3):
        queue.put(n)


counter, cells = context.Value("i", 0), context.Array("d", 4)
children = [context.Process(target=add, args=(counter, cells, i)) for i in range(4)]
near, far = context.Pipe()
children.append(context.Process(target=echo, args=(far,)))
queue = context.Queue()
children += [context.Process(target=produce, args=(queue, start)) for start in (0, 10)]
for child in children:
    child.start()
for word in ("stressed", "Привет"):
    near.send(word)
    print(near.recv())
near.send("stop")
print(sorted(queue.get() for _ in range(6)))
for child in children:
    child.join()
print(counter.value, list(cells), [child.exitcode for child in children])

ends = [context.Process(target=sys.exit, args=(5,)),
        context.Process(target=lambda: os.kill(os.getpid(), signal.SIGKILL))]
for child in ends:
    child.start()
    child.join()
    print("exit code", child.exitcode)
