"""The same work for 100 inputs, each in a sandbox of its own, ten at a time."""

import asyncio

from atoll import AsyncAtoll, AsyncSandbox


async def square(box: AsyncSandbox, number: int) -> int:
    done = await box.command(f"echo $(({number} * {number}))", check=True)
    return int(done.stdout)


async def main() -> None:
    async with AsyncAtoll() as atoll:
        squares = await atoll.map(square, range(100), parallel=10, template="shell-default")
    print(f"{len(squares)} results, sum {sum(squares)}")


asyncio.run(main())
