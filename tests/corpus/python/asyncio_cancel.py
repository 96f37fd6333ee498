"""Cancelling: a task that cleans up, a deadline, a shield, and a group that fails together."""
import asyncio


async def forever(name):
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print(name, "cancelled")
        raise


async def main():
    task = asyncio.create_task(forever("task"))
    await asyncio.sleep(0)
    print(task.cancel(), task.done())
    try:
        await task
    except asyncio.CancelledError:
        print("seen", task.cancelled())
    try:
        await asyncio.wait_for(forever("slow"), timeout=0.01)
    except asyncio.TimeoutError as error:
        print("deadline", type(error).__name__)
    kept = asyncio.create_task(asyncio.sleep(0.02, "kept"))
    try:
        await asyncio.wait_for(asyncio.shield(kept), timeout=0.001)
    except asyncio.TimeoutError:
        print("shielded:", await kept)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(forever("sibling"))
            await asyncio.sleep(0)
            raise ValueError("the group ends")
    except* ValueError as errors:
        print(errors.exceptions)


asyncio.run(main())
