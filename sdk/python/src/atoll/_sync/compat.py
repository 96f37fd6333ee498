"""What differs between the two worlds and is no matter of spelling. Written by hand beside `_async/compat.py`."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, List, Optional, TypeVar

T = TypeVar("T")


def pause(seconds: float) -> None:
    time.sleep(seconds)


def loop_key() -> Optional[Any]:
    """One pool of connections for all threads."""
    return None


def is_alive(loop: Optional[Any]) -> bool:
    return True


def in_thread(function: Callable[..., T], *args: Any) -> T:
    return function(*args)


def gather(jobs: Iterable[Callable[[], T]], parallel: int) -> List[T]:
    """All of them, so many at a time, in their order. After the first error no other begins."""
    waiting = list(jobs)
    if not waiting:
        return []
    stop = threading.Event()

    def work(job: Callable[[], T]) -> Optional[T]:
        if stop.is_set():
            return None
        try:
            return job()
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(max_workers=min(parallel, len(waiting)), thread_name_prefix="atoll-map") as pool:
        futures = [pool.submit(work, job) for job in waiting]
        try:
            done: List[Any] = [future.result() for future in futures]
        except BaseException:
            stop.set()
            # The first that failed, not one that was not begun because of it.
            for future in futures:
                if future.done() and not future.cancelled() and future.exception() is not None:
                    raise future.exception() from None  # type: ignore[misc]
            raise
    return done
