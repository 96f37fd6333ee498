"""Commands: a shell for each, its output as events."""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid

from interface import Refused, bad

POLL_SECONDS = 0.02
PING_SECONDS = 3


class Lines:
    """New lines of a growing file, as the event stream has them: without their ends, a blank one as its end."""

    def __init__(self):
        self.file, self.rest, self.after_return = tempfile.TemporaryFile(), b"", False
        self.at = 0

    def take(self, flush):
        new = os.pread(self.file.fileno(), 1 << 30, self.at)
        self.at += len(new)
        data, self.rest = self.rest + new, b""
        pieces = re.split(b"([\n\r])", data)
        for line, end in zip(pieces[0::2], pieces[1::2]):
            if line:
                yield line.decode(errors="replace")
            elif not (end == b"\n" and self.after_return):
                yield "\n"
            self.after_return = end == b"\r"
        self.rest = pieces[-1]
        if flush and self.rest:
            yield self.rest.decode(errors="replace")
            self.rest = b""


class Command:
    known = {}

    def __init__(self, body):
        self.id, self.content, self.started = uuid.uuid4().hex, body["command"], time.time()
        self.lines = {"stdout": Lines(), "stderr": Lines()}
        self.background = body.get("background", False)
        if self.background:
            self.lines["stderr"] = self.lines["stdout"]
        timeout = body.get("timeout")
        if timeout is not None and timeout < 1:
            raise bad("timeout is too small")
        self.deadline = None if timeout is None else time.monotonic() + timeout / 1000
        cwd = body.get("cwd")
        if cwd and not os.path.isdir(cwd):
            raise bad(f"working directory does not exist: {cwd}")
        shell = shutil.which("bash") or shutil.which("sh")
        self.process = subprocess.Popen(
            [shell, "-c", body["command"]], cwd=cwd or None, env={**os.environ, **(body.get("envs") or {})},
            stdin=subprocess.DEVNULL, stdout=self.lines["stdout"].file, stderr=self.lines["stderr"].file,
            process_group=0, user=body.get("uid"), group=body.get("gid"))
        Command.known[self.id] = self

    def kill(self, number=signal.SIGKILL):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def end_in_time(self):
        if self.deadline and time.monotonic() > self.deadline:
            self.kill()

    def code(self):
        return None if self.process.returncode is None else max(self.process.returncode, -1)


class Commands:
    """The operations on commands, for a request handler."""

    def event(self, kind, **fields):
        data = json.dumps({"type": kind, **fields, "timestamp": int(time.time() * 1000)}).encode() + b"\n\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def is_gone(self):
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def on_post_command(self, _, body):
        command = Command(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        try:
            self.event("init", text=command.id)
            if command.background:
                threading.Thread(target=self.watch, args=(command,), daemon=True).start()
                self.event("execution_complete", execution_time=0)
            else:
                self.follow(command)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            command.kill()
        finally:
            if not command.background:
                command.process.wait()

    @staticmethod
    def watch(command):
        while command.process.poll() is None:
            command.end_in_time()
            time.sleep(POLL_SECONDS)

    def follow(self, command):
        self.event("ping", text="pong")
        next_ping = time.monotonic() + PING_SECONDS
        while True:
            ended = command.process.poll() is not None
            for stream, lines in command.lines.items():
                for text in lines.take(ended):
                    self.event(stream, text=text)
            if ended:
                break
            if self.is_gone():
                raise ConnectionError
            command.end_in_time()
            if time.monotonic() > next_ping:
                self.event("ping", text="pong")
                next_ping += PING_SECONDS
            time.sleep(POLL_SECONDS)
        if command.code() == 0:
            return self.event("execution_complete", execution_time=int((time.time() - command.started) * 1000))
        why = "signal: killed" if command.code() < 0 else f"exit status {command.code()}"
        error = {"ename": "CommandExecError", "evalue": str(command.code()), "traceback": [why]}
        return self.event("error", error=error)

    def one(self, name):
        if name not in Command.known:
            raise Refused(404, "INVALID_REQUEST_BODY", f"command not found: {name}")
        return Command.known[name]

    def on_delete_command(self, query, _):
        command = Command.known.get(query["id"][0])
        if command is None or command.process.poll() is not None:
            raise Refused(500, "RUNTIME_ERROR", "no such session")
        command.kill(signal.SIGTERM)
        self.send(200)

    def on_get_command_status_one(self, *_):
        command = self.one(self.named["id"])
        running = command.process.poll() is None
        answer = {"id": command.id, "content": command.content, "running": running,
                  "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(command.started))}
        self.send(200, answer if running else {**answer, "exit_code": command.code()})

    def on_get_command_one_logs(self, query, _):
        command, cursor = self.one(self.named["id"]), int(query.get("cursor", ["0"])[0] or 0)
        data = os.pread(command.lines["stdout"].file.fileno(), 1 << 30, max(cursor, 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("EXECD-COMMANDS-TAIL-CURSOR", str(max(cursor, 0) + len(data)))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
