"""async/await: gather keeps order, queues hand over, async generators and context managers."""
import asyncio
import contextlib


@contextlib.asynccontextmanager
async def phase(name):
    print("enter", name)
    try:
        yield name.upper()
    finally:
        await asyncio.sleep(0)
        print("leave", name)


async def countdown(n):
    while n:
        yield n
        await asyncio.sleep(0)
        n -= 1


async def produce(queue, items):
    for item in items:
        await queue.put(item)
    await queue.put(None)


async def consume(queue):
    got = []
    while (item := await queue.get()) is not None:
        got.append(item * 2)
    return got


async def fail():
    raise RuntimeError("one of three")


async def main():
    async with phase("work") as label:
        queue = asyncio.Queue(maxsize=1)
        print(label, await asyncio.gather(produce(queue, [1, 2, 3]), consume(queue)))
    print([n async for n in countdown(4)])
    print(await asyncio.gather(asyncio.sleep(0, "a"), fail(), asyncio.sleep(0, "c"), return_exceptions=True))
    return "done"


print(asyncio.run(main()))
