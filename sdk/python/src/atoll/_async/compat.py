"""What differs between the two worlds and is no matter of spelling. Not converted; `_sync` has its own."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Iterable, List, Optional, TypeVar

T = TypeVar("T")


async def pause(seconds: float) -> None:
    await asyncio.sleep(seconds)


def loop_key() -> Optional[Any]:
    """Connections belong to the event loop that made them."""
    return asyncio.get_running_loop()


def is_alive(loop: Optional[Any]) -> bool:
    return loop is not None and not loop.is_closed()


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """Work with local files that takes a while."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


async def gather(jobs: Iterable[Callable[[], Awaitable[T]]], parallel: int) -> List[T]:
    """All of them, so many at a time, in their order. The first error ends the others."""
    waiting = list(jobs)
    done: List[Any] = [None] * len(waiting)
    numbers = iter(range(len(waiting)))

    async def work() -> None:
        for number in numbers:
            done[number] = await waiting[number]()

    tasks = [asyncio.ensure_future(work()) for _ in range(min(parallel, len(waiting)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return done
