#!/usr/bin/env python3
"""Figures of the Python SDK for bench/sdks.py, which starts the server: rows as JSON.

usage: bench.py [--quick]      with ATOLL_URL and ATOLL_API_KEY, and httpx and atoll to import
"""
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import time

import httpx

import atoll

QUICK = "--quick" in sys.argv
ROUNDS = 300 if QUICK else 3000
MANY = 100 << 20
STARTS = 5 if QUICK else 20
HEALTH = "/api/v1/health"
OUTPUT = f"yes {'x' * 119} | head -c {MANY}"
ROWS = []


def row(case, contender, unit, value, mode=""):
    ROWS.append({"case": case, "contender": contender, "mode": mode, "unit": unit, "value": value})


def beyond(contender, ours, bare):
    """What a request costs more than with the bare library."""
    row("a request beyond the bare HTTP library", contender, "ms", (statistics.median(ours) - statistics.median(bare)) * 1e3)
    row("a request with the bare HTTP library", contender, "ms", statistics.median(bare) * 1e3)


def timed(samples, call):
    begun = time.perf_counter()
    call()
    samples.append(time.perf_counter() - begun)


def requests():
    ours, bare = [], []
    with atoll.Atoll() as client, httpx.Client(base_url=client.url, headers={"authorization": f"Bearer {os.environ['ATOLL_API_KEY']}"}) as http:
        for at in range(ROUNDS):
            pair = [lambda: timed(ours, client.health), lambda: timed(bare, lambda: http.get(HEALTH).json())]
            for call in pair[:: 1 if at % 2 else -1]:
                call()
    beyond("Python", ours, bare)


async def requests_async():
    ours, bare = [], []
    async with atoll.AsyncAtoll() as client, httpx.AsyncClient(
            base_url=client.url, headers={"authorization": f"Bearer {os.environ['ATOLL_API_KEY']}"}) as http:

        async def health():
            (await http.get(HEALTH)).json()

        for at in range(ROUNDS):
            pair = [(ours, client.health), (bare, health)]
            for samples, call in pair[:: 1 if at % 2 else -1]:
                begun = time.perf_counter()
                await call()
                samples.append(time.perf_counter() - begun)
    beyond("Python, async", ours, bare)


def grown():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def streams():
    """A file of 100 MiB, and as much output."""
    with atoll.Sandbox.create(timeout=600) as box:
        box.command(f"head -c {MANY} /dev/zero > big", check=True)
        before, begun = grown(), time.perf_counter()
        size = sum(len(piece) for piece in box.files.stream("big"))
        row("download of 100 MiB", "Python", "MB/s", size / 1e6 / (time.perf_counter() - begun))
        assert size == MANY
        box.files.remove("big")
        begun, size = time.perf_counter(), 0
        with box.stream(command=OUTPUT) as events:
            for event in events:
                if event.type == "stdout":
                    size += len(event.text)
        row("output of 100 MiB as events", "Python", "MB/s", size / 1e6 / (time.perf_counter() - begun))
        assert size == MANY
        row("memory that both took", "Python", "MiB", grown() - before)


async def streams_async():
    async with await atoll.AsyncSandbox.create(timeout=600) as box:
        await box.command(f"head -c {MANY} /dev/zero > big", check=True)
        before, begun, size = grown(), time.perf_counter(), 0
        async for piece in box.files.stream("big"):
            size += len(piece)
        row("download of 100 MiB", "Python, async", "MB/s", size / 1e6 / (time.perf_counter() - begun))
        assert size == MANY
        await box.files.remove("big")
        begun, size = time.perf_counter(), 0
        async with box.stream(command=OUTPUT) as events:
            async for event in events:
                if event.type == "stdout":
                    size += len(event.text)
        row("output of 100 MiB as events", "Python, async", "MB/s", size / 1e6 / (time.perf_counter() - begun))
        assert size == MANY
        row("memory that both took", "Python, async", "MiB", grown() - before)


async def one(box, number):
    return (await box.command("true")).exit_code


async def maps():
    """`map`, 100 sandboxes at a time as far as the pool gives them; `true` in each."""
    async with atoll.AsyncAtoll() as client:
        await client.map(one, range(20), parallel=8, template="shell-default")
        rates = []
        for _ in range(2 if QUICK else 5):
            begun = time.perf_counter()
            codes = await client.map(one, range(100), parallel=8, template="shell-default")
            rates.append(len(codes) / (time.perf_counter() - begun))
            assert codes == [0] * 100
    row("map over 100 sandboxes", "Python, async", "per s", statistics.median(rates))


def imports():
    """Of a process that imports atoll, beyond one that imports nothing."""
    took = {}
    for at in range(2 * STARTS):
        code = ("pass", "import atoll")[at % 2]
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        took.setdefault(code, []).append(time.perf_counter() - begun)
    row("import", "Python", "ms", (statistics.median(took["import atoll"]) - statistics.median(took["pass"])) * 1e3)


if __name__ == "__main__":
    imports()
    requests()
    asyncio.run(requests_async())
    streams()
    asyncio.run(streams_async())
    asyncio.run(maps())
    print(json.dumps(ROWS))
