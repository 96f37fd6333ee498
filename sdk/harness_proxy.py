"""A proxy that behaves as badly as it is told, so that tests can see what a client makes of it."""
import asyncio
import re
import threading

HEAD_LIMIT = 64 * 1024
PIECE = 256 * 1024


class Rule:
    def __init__(self, rule):
        self.method = rule.get("method")
        self.path = re.compile(rule.get("path", ""))
        self.left = int(rule.get("times", 1))
        self.action = rule["do"]
        if self.action not in {"answer", "refuse", "lose", "cut", "delay"}:
            raise ValueError(f"no such fault: {self.action}")
        self.rest = rule

    def takes(self, method, path):
        if self.left and self.method in (None, method) and self.path.search(path):
            self.left -= 1
            return True
        return False


class Proxy:
    """Listens on a port of its own; `upstream` (host, port) may change at any time."""

    def __init__(self, loop):
        self.loop, self.upstream, self.lock = loop, None, threading.Lock()
        self.rules, self.requests, self.tasks = [], [], set()
        self.server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.connected, "127.0.0.1", 0, limit=HEAD_LIMIT), loop).result()
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    def set_rules(self, rules):
        made = [Rule(rule) for rule in rules]
        with self.lock:
            self.rules, self.requests = made, []

    def seen(self):
        with self.lock:
            return list(self.requests)

    async def connected(self, reader, writer):
        self.tasks.add(task := asyncio.current_task())
        try:
            await self.serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()

    async def serve(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        first, *fields = head[:-4].split(b"\r\n")
        method, target, _ = first.decode("latin-1").split(" ", 2)
        headers = {}
        for field in fields:
            name, _, value = field.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        path = target.split("?", 1)[0]
        with self.lock:
            self.requests.append({"method": method, "path": path, "headers": headers})
            rule = next((r for r in self.rules if r.takes(method, path)), None)
        action = rule.action if rule else None
        if action == "refuse":
            return
        if action == "answer":
            await self.answer(rule.rest, headers, reader, writer)
            return
        if action == "delay":
            await asyncio.sleep(rule.rest["seconds"])
        await self.relay(head, headers, reader, writer, action, rule)

    @staticmethod
    async def answer(rule, headers, reader, writer):
        left = int(headers.get("content-length", 0))
        while left > 0 and (piece := await reader.read(min(left, PIECE))):
            left -= len(piece)
        body = rule.get("body", "").encode()
        lines = [f"HTTP/1.1 {rule['status']} Told", f"content-length: {len(body)}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in rule.get("headers", {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()

    async def relay(self, head, headers, reader, writer, action, rule):
        up_reader, up_writer = await asyncio.open_connection(*self.upstream)
        if "upgrade" not in headers:  # one request a connection keeps this simple
            head = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head[:-4]) + b"\r\nconnection: close\r\n\r\n"
        up_writer.write(head)
        upload = asyncio.ensure_future(pump(reader, up_writer))
        try:
            if action == "lose":
                await up_reader.read(1)
                return
            await self.download(up_reader, writer, rule.rest["bytes"] if action == "cut" else None)
        finally:
            upload.cancel()
            up_writer.close()

    @staticmethod
    async def download(reader, writer, limit):
        if limit is not None:
            writer.write(await reader.readuntil(b"\r\n\r\n"))
        while piece := await reader.read(PIECE if limit is None else max(0, min(limit, PIECE))):
            if limit is not None:
                limit -= len(piece)
            writer.write(piece)
            await writer.drain()

    def close(self):
        async def end():
            self.server.close()
            for task in list(self.tasks):
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result(30)


async def pump(reader, writer):
    try:
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        pass
