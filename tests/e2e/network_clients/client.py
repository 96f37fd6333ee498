"""One Python HTTP library against one host: fetch, big download and upload, events, WebSocket where it has one.

usage: client.py urllib|requests|httpx|aiohttp HOST SIZE
"""
import asyncio
import json
import os
import sys

LIBRARY, HOST, SIZE = sys.argv[1], sys.argv[2], int(sys.argv[3])
BASE = f"https://{HOST}"
HEADERS = {"Authorization": "Bearer " + os.environ["TOKEN"]}


def done(what):
    print(what, flush=True)


def check(condition, what):
    if not condition:
        sys.exit(f"{what} is wrong")
    done(what)


def answer_events(lines, acknowledge):
    """The next event comes when the one before was acknowledged on another connection."""
    seen = []
    for line in lines:
        text = line.decode() if isinstance(line, bytes) else line
        if text.startswith("data:"):
            seen.append(text.split(":")[1].strip())
            acknowledge()
    check(seen == ["0", "1", "2"], "events")


def with_urllib():
    from urllib.request import Request, urlopen

    def ask(path, data=None):
        return urlopen(Request(BASE + path, data=data, headers=HEADERS), timeout=120)
    check(json.load(ask("/"))["line"].startswith("GET /"), "fetch")
    check(len(ask(f"/big?{SIZE}").read()) == SIZE, "download")
    check(json.load(ask("/up", b"x" * SIZE))["size"] == SIZE, "upload")
    answer_events(ask("/stream"), lambda: ask("/ack").read())


def with_requests():
    import requests
    check(requests.get(BASE + "/", headers=HEADERS, timeout=120).json()["line"].startswith("GET /"), "fetch")
    check(len(requests.get(f"{BASE}/big?{SIZE}", headers=HEADERS, timeout=120).content) == SIZE, "download")
    check(requests.post(BASE + "/up", data=b"x" * SIZE, headers=HEADERS, timeout=120).json()["size"] == SIZE, "upload")
    lines = requests.get(BASE + "/stream", headers=HEADERS, stream=True, timeout=120).iter_lines(chunk_size=1)
    answer_events(lines, lambda: requests.get(BASE + "/ack", headers=HEADERS, timeout=120))


def with_httpx():
    import httpx
    client = httpx.Client(headers=HEADERS, timeout=120)
    check(client.get(BASE + "/").json()["line"].startswith("GET /"), "fetch")
    check(len(client.get(f"{BASE}/big?{SIZE}").content) == SIZE, "download")
    check(client.post(BASE + "/up", content=b"x" * SIZE).json()["size"] == SIZE, "upload")
    with client.stream("GET", BASE + "/stream") as answer:
        answer_events(answer.iter_lines(), lambda: client.get(BASE + "/ack"))


async def with_aiohttp():
    import aiohttp
    # The resolver of the loop; aiohttp's own wants a library that not everybody has.
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(BASE, headers=HEADERS, connector=connector) as session:
        async with session.get("/") as answer:
            check((await answer.json())["line"].startswith("GET /"), "fetch")
        async with session.get(f"/big?{SIZE}") as answer:
            check(len(await answer.read()) == SIZE, "download")
        async with session.post("/up", data=b"x" * SIZE) as answer:
            check((await answer.json())["size"] == SIZE, "upload")
        seen = []
        async with session.get("/stream") as answer:
            async for line in answer.content:
                if line.startswith(b"data:"):
                    seen.append(line.decode().split(":")[1].strip())
                    async with session.get("/ack"):
                        pass
        check(seen == ["0", "1", "2"], "events")
    # On a connection of its own: the relay lets the first request of one be an upgrade, and no later one.
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(BASE, headers=HEADERS, connector=connector) as session:
        async with session.ws_connect("/chat") as socket:
            await socket.send_str("hello")
            check((await socket.receive_str()) == "hello", "websocket")


if LIBRARY == "aiohttp":
    asyncio.run(with_aiohttp())
else:
    {"urllib": with_urllib, "requests": with_requests, "httpx": with_httpx}[LIBRARY]()
