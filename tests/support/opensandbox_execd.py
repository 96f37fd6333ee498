#!/usr/bin/env python3
"""Stands in for execd, the agent that OpenSandbox puts into its sandboxes, in tests of the OpenSandbox backend.

Speaks the published interface of execd and nothing else: a path, method, parameter or field that the interface does
not have is refused, and so is a value of the wrong type. What it does not test against (sessions, code) answers 501.
Runs inside the sandbox on port 44772, with the standard library only. The real one is used instead where
ATOLL_TEST_EXECD names it (with_opensandbox.py).
"""
import fnmatch
import grp
import http.server
import json
import os
import pathlib
import pwd
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

PORT = 44772
POLL_SECONDS = 0.02
PING_SECONDS = 3
TEXT, NUMBER, FLAG, MAP = str, int, bool, dict

# (method, path) -> ({parameter: is it required}, {field of a JSON body: (type, is it required)})
OPERATIONS = {
    ("GET", "/ping"): ({}, None),
    ("POST", "/command"): ({}, {"command": (TEXT, True), "cwd": (TEXT, False), "background": (FLAG, False),
                                "timeout": (NUMBER, False), "uid": (NUMBER, False), "gid": (NUMBER, False),
                                "envs": (MAP, False)}),
    ("DELETE", "/command"): ({"id": True}, None),
    ("GET", "/command/status/{id}"): ({}, None),
    ("GET", "/command/{id}/logs"): ({"cursor": False}, None),
    ("GET", "/files/info"): ({"path": True}, None),
    ("DELETE", "/files"): ({"path": True}, None),
    ("POST", "/files/permissions"): ({}, {}),
    ("POST", "/files/mv"): ({}, {}),
    ("GET", "/files/search"): ({"path": True, "pattern": False}, None),
    ("POST", "/files/upload"): ({}, None),
    ("GET", "/files/download"): ({"path": True, "offset": False, "limit": False}, None),
    ("GET", "/directories/list"): ({"path": True, "depth": False}, None),
    ("POST", "/directories"): ({}, {}),
    ("DELETE", "/directories"): ({"path": True}, None),
    ("GET", "/metrics"): ({}, None),
}


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


def bad(message):
    return Refused(400, "INVALID_REQUEST_BODY", message)


def find_operation(method, path):
    known = False
    for (wanted, pattern), rules in OPERATIONS.items():
        match = re.fullmatch(pattern.replace("{id}", "(?P<id>[^/]+)"), path)
        known = known or match is not None
        if match and wanted == method:
            return pattern, match.groupdict(), rules
    raise Refused(405 if known else 404, "UNKNOWN", f"{method} {path} is no operation")


def check_parameters(query, rules):
    for name in query:
        if name not in rules:
            raise bad(f"there is no parameter {name}")
    for name, required in rules.items():
        if required and not query.get(name):
            raise Refused(400, "MISSING_QUERY", f"missing query parameter '{name}'")


def check_fields(body, rules):
    if not isinstance(body, dict):
        raise bad("the body is no object")
    for name, value in body.items():
        if name not in rules:
            raise bad(f"there is no field {name}")
        kind = rules[name][0]
        if not isinstance(value, kind) or (kind is NUMBER and isinstance(value, bool)):
            raise bad(f"{name} has the wrong type")
    for name, (_, required) in rules.items():
        if required and not body.get(name):
            raise bad(f"{name} is required")


def octal(mode):
    """755 is written for 0755."""
    return int(str(mode), 8)


def file_info(path):
    info = os.lstat(path)
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink"}

    def moment(seconds):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

    return {"path": os.fsdecode(path).encode(errors="surrogateescape").decode(errors="replace"),
            "type": kinds.get(stat.S_IFMT(info.st_mode), "other"), "size": info.st_size,
            "modified_at": moment(info.st_mtime), "created_at": moment(info.st_ctime),
            "owner": pwd.getpwuid(info.st_uid).pw_name, "group": grp.getgrgid(info.st_gid).gr_name,
            "mode": int(oct(info.st_mode & 0o777)[2:])}


def set_permission(path, permission):
    check_fields(permission, {"mode": (NUMBER, False), "owner": (TEXT, False), "group": (TEXT, False)})
    if "mode" in permission:
        os.chmod(path, octal(permission["mode"]))
    if "owner" in permission or "group" in permission:
        shutil.chown(path, permission.get("owner"), permission.get("group"))


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
            [shell, "-c", body["command"]], cwd=cwd or None, env={**os.environ, **body.get("envs", {})},
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


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer()

    do_POST = do_DELETE = do_PUT = do_PATCH = do_GET

    def answer(self):
        url = urllib.parse.urlsplit(re.sub(f"^/proxy/{PORT}/", "/", self.path))  # the agent reaches itself, too
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True, errors="surrogateescape")
        body = self.read_body()
        try:
            if url.path.startswith(("/session", "/code")):
                raise Refused(501, "NOT_SUPPORTED", "not in this stand-in")
            pattern, self.named, (parameters, fields) = find_operation(self.command, url.path)
            check_parameters(query, parameters)
            name = f"on_{self.command.lower()}" + re.sub(r"[^a-z]+", "_", pattern.replace("{id}", "one"))
            if fields is None:
                return getattr(self, name)(query, body)
            if self.headers.get_content_type() != "application/json":
                raise bad("the body is no JSON")
            try:
                document = json.loads(body)
            except ValueError:
                raise bad("the body is no JSON") from None
            if fields:
                check_fields(document, fields)
            return getattr(self, name)(query, document)
        except Refused as refused:
            self.send(refused.status, {"code": refused.code, "message": str(refused)})
        except FileNotFoundError as error:
            self.send(404, {"code": "FILE_NOT_FOUND", "message": f"file not found. {error}"})
        except OSError as error:
            self.send(500, {"code": "RUNTIME_ERROR", "message": str(error)})

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def send(self, status, document=None):
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    # commands

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

    # files

    def on_get_ping(self, *_):
        self.send(200)

    def on_get_files_info(self, query, _):
        self.send(200, {path: file_info(path) for path in query["path"]})

    def on_delete_files(self, query, _):
        for path in query["path"]:
            os.unlink(path)
        self.send(200)

    def on_post_files_permissions(self, _, body):
        for path, permission in body.items():
            set_permission(path, permission)
        self.send(200)

    def on_post_files_mv(self, _, body):
        for pair in body:
            check_fields(pair, {"src": (TEXT, True), "dest": (TEXT, True)})
            os.rename(pair["src"], pair["dest"])
        self.send(200)

    def on_get_files_search(self, query, _):
        root, pattern = query["path"][0], query.get("pattern", ["**"])[0]
        os.stat(root)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
                 if fnmatch.fnmatchcase(name, pattern)]
        self.send(200, [file_info(path) for path in sorted(found)])

    def on_post_files_upload(self, _, body):
        boundary = self.headers.get_param("boundary")
        if self.headers.get_content_type() != "multipart/form-data" or not boundary:
            raise Refused(400, "INVALID_FILE", "multipart form is empty")
        parts = {"metadata": [], "file": []}
        for part in (b"\r\n" + body).split(b"\r\n--" + boundary.encode())[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            name = re.search(rb'[; ]name="([^"]*)"', head)
            if name is None or b"filename=" not in head or name[1].decode() not in parts:
                raise Refused(400, "INVALID_FILE", "a part is neither metadata nor file")
            parts[name[1].decode()].append(content)
        if not parts["file"] or len(parts["file"]) != len(parts["metadata"]):
            raise Refused(400, "INVALID_FILE", "metadata and file count mismatch")
        for metadata, content in zip(parts["metadata"], parts["file"]):
            meta = json.loads(metadata)
            check_fields(meta, {"path": (TEXT, True), "mode": (NUMBER, False), "owner": (TEXT, False),
                                "group": (TEXT, False)})
            path = pathlib.Path(meta.pop("path"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            set_permission(path, meta)
        self.send(200)

    def on_get_files_download(self, query, _):
        path = query["path"][0]
        if os.path.isdir(path):
            raise OSError("seeker can't seek")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            first, last, status = 0, size - 1, 200
            if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, last, status = int(asked[1]), min(int(asked[2] or size - 1), size - 1), 206
                if first >= size:
                    raise Refused(416, "INVALID_FILE", "invalid range: failed to overlap")
            self.send_response(status)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(last - first + 1))
            if status == 206:
                self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
            self.end_headers()
            if last >= first:
                self.connection.sendfile(file, first, last - first + 1)

    def on_get_directories_list(self, query, _):
        root, depth = query["path"][0], int(query.get("depth", ["1"])[0])
        if os.path.islink(root) or (os.path.lexists(root) and not os.path.isdir(root)):
            raise bad(f"path is not a directory: {root}")

        def below(folder, levels):
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                yield file_info(path)
                if levels > 1 and os.path.isdir(path) and not os.path.islink(path):
                    yield from below(path, levels - 1)

        self.send(200, list(below(root, depth)) if depth > 0 else [])

    def on_post_directories(self, _, body):
        for path, permission in body.items():
            os.makedirs(path, exist_ok=True)
            set_permission(path, permission)
        self.send(200)

    def on_delete_directories(self, query, _):
        for path in query["path"]:
            shutil.rmtree(path)
        self.send(200)

    def on_get_metrics(self, *_):
        total, free = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") / 2**20
                       for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
        self.send(200, {"cpu_count": os.cpu_count(), "cpu_used_pct": 0.0, "mem_total_mib": total,
                        "mem_used_mib": total - free, "timestamp": int(time.time() * 1000)})


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("0.0.0.0", PORT), Handler)
    server.daemon_threads = True
    server.serve_forever()
