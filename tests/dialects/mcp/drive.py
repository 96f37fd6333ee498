"""The official Python client, told what to do as drive.mjs is: one JSON object a line on standard input."""
import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

WISH = json.loads(sys.argv[1])


def say(answer):
    print(json.dumps(answer), flush=True)


def plain(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def server():
    if "url" in WISH:
        return streamable_http_client(WISH["url"], http_client=httpx2.AsyncClient(headers=WISH.get("headers") or {},
                                                                                  timeout=120))
    return StdioServerParameters(command=WISH["command"], args=WISH["args"], env={**os.environ, **WISH.get("env", {})})


async def with_progress(client, name, args):
    seen = []

    async def on_progress(progress, total, message):
        seen.append({"progress": progress, "total": total, "message": message})

    result = await client.call_tool(name, args, progress_callback=on_progress)
    return {"seen": seen, "result": plain(result)}


async def obey(client, command):
    what = command["do"]
    if what == "tools":
        return plain(await client.list_tools())
    if what == "call":
        return plain(await client.call_tool(command["name"], command["args"]))
    if what == "progress":
        return await with_progress(client, command["name"], command["args"])
    if what == "resources":
        return plain(await client.list_resources())
    if what == "templates":
        return plain(await client.list_resource_templates())
    if what == "read":
        return plain(await client.read_resource(command["uri"]))
    raise ValueError(what)


async def main():
    loop = asyncio.get_running_loop()
    async with Client(server(), mode=WISH.get("mode", "auto")) as client:
        say({"connected": True})
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            try:
                say({"result": await obey(client, json.loads(line))})
            except Exception as error:  # pylint: disable=broad-except
                say({"error": {"code": getattr(error, "code", None), "message": str(error)}})


asyncio.run(main())
