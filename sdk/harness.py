#!/usr/bin/env python3
"""Starts servers for the scenarios of the SDKs and one SDK's runner, and judges what the runner says.

usage: harness.py [--only REGEX] [--folder DIR] [--without-scenarios] -- COMMAND…

SCENARIOS.md describes the environment of COMMAND and what it prints. With --without-scenarios COMMAND is
any program that wants the same servers; its exit status is then the verdict. ATOLL_BIN names the folder
of the programs (default: build/release/bin).
"""
import argparse
import asyncio
import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from harness_proxy import Proxy  # noqa: E402

BIN = pathlib.Path(os.environ.get("ATOLL_BIN", HERE.parent / "build/release/bin"))
DEADLINE = 60
KEYS = {"owner": ("default", "owner"), "admin_a": ("a", "admin"), "user_a": ("a", "user"),
        "readonly_a": ("a", "read-only"), "user_b": ("b", "user")}


class Server:
    """`atoll serve` on a free port, with a data folder that outlives it."""

    def __init__(self, folder, *options):
        self.data, self.process, self.options = str(folder / "data"), None, options
        os.chmod(folder, 0o755)
        self.log = open(folder / "log", "wb")

    def key(self, tenant, role):
        made = subprocess.run([BIN / "atoll", "key", "create", "--data", self.data, "--tenant", tenant, "--role", role],
                              capture_output=True, text=True, check=False, timeout=DEADLINE)
        if made.returncode:
            sys.exit(f"harness: no key: {made.stderr}")
        return made.stdout.strip()

    def start(self):
        self.process = subprocess.Popen([BIN / "atoll", "serve", "--listen", "127.0.0.1:0", "--data", self.data, *self.options],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("atoll listens on "):
                self.url = line.split()[-1]
                parts = urllib.parse.urlsplit(self.url)
                return parts.hostname, parts.port
        sys.exit(f"harness: the server did not start ({self.process.wait()}); see {self.log.name}")

    def kill(self):
        if self.process:
            self.process.kill()
            self.end()

    def stop(self):
        if self.process:
            self.process.terminate()
            self.end()
        self.log.close()

    def end(self):
        self.process.wait(DEADLINE)
        self.process.stdout.close()
        self.process = None


class Control(http.server.BaseHTTPRequestHandler):
    """What the steps `faults`, `requests` and `server` ask for."""
    faulty = spare_proxy = spare = None

    def do_GET(self):
        self.reply(200, {"requests": Control.faulty.seen()}) if self.path == "/requests" else self.reply(404, {})

    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            {"/faults": self.faults, "/server": self.server_step}[self.path](body)
        except (KeyError, ValueError) as error:
            self.reply(400, {"error": repr(error)})
        else:
            self.reply(200, {})

    def faults(self, body):
        Control.faulty.set_rules(body["rules"])

    def server_step(self, body):
        if body["do"] not in {"kill", "start", "restart"}:
            raise ValueError(body["do"])
        if body["do"] != "start":
            Control.spare.kill()
        if body["do"] != "kill":
            Control.spare_proxy.upstream = Control.spare.start()

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def world(folder):
    """The servers, and the environment that names them."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    os.chmod(folder, 0o755)  # root's server works as another user
    folders = {name: folder / name for name in ("main", "spare", "files")}
    for path in folders.values():
        path.mkdir()
    with contextlib.ExitStack() as undo:
        undo.callback(loop.call_soon_threadsafe, loop.stop)
        main, spare = Server(folders["main"]), Server(folders["spare"])
        undo.callback(spare.stop)
        undo.callback(main.stop)
        keys = {name: main.key(*what) for name, what in KEYS.items()}
        keys |= {"spare": spare.key("default", "owner"), "wrong": "atl_" + "0" * 40}
        faulty, spare_proxy = Proxy(loop), Proxy(loop)
        undo.callback(faulty.close)
        undo.callback(spare_proxy.close)
        faulty.upstream, spare_proxy.upstream = main.start(), spare.start()
        Control.faulty, Control.spare_proxy, Control.spare = faulty, spare_proxy, spare
        control = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
        threading.Thread(target=control.serve_forever, daemon=True).start()
        undo.callback(control.shutdown)
        dead = undo.enter_context(contextlib.closing(socket.socket()))
        dead.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers, and nobody else takes it
        yield {
            "ATOLL_URL": main.url, "ATOLL_FAULTY_URL": faulty.url, "ATOLL_SPARE_URL": spare_proxy.url,
            "ATOLL_DEAD_URL": f"http://127.0.0.1:{dead.getsockname()[1]}", "ATOLL_API_KEY": keys["owner"],
            "ATOLL_KEYS": json.dumps(keys), "ATOLL_CONTROL": f"http://127.0.0.1:{control.server_port}",
            "ATOLL_FOLDER": str(folders["files"]), "ATOLL_BIN": str(BIN),
        }


class Loader(yaml.SafeLoader):
    """As YAML 1.2 has it, only `true` and `false` are truth values: `on` is a word."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def read_scenarios(only=None):
    document = yaml.load((HERE / "scenarios.yaml").read_text(encoding="utf-8"), Loader)  # a safe one
    names = [scenario["name"] for scenario in document["scenarios"]]
    if len(names) != len(set(names)):
        sys.exit("harness: two scenarios have one name")
    if only:
        document["scenarios"] = [s for s in document["scenarios"] if re.search(only, s["name"])]
    return document


# What a runner must call failed: otherwise its "ok" means nothing.
MUST_FAIL = [{"name": f"must-fail-{name}", "feature": "run", "steps": [step]} for name, step in (
    ("unknown-step", {"call": "no_such_step"}),
    ("unknown-step-with-error", {"call": "no_such_step", "error": {"code": "not_found"}}),
    ("nothing-saved", {"call": "get", "on": "nothing"}),
    ("wrong-value", {"call": "assert", "with": {"value": {"a": 1}}, "expect": [{"path": "a", "equals": 2}]}),
    ("absent-value", {"call": "assert", "with": {"value": {"a": 1}}, "expect": [{"path": "b", "equals": 1}]}),
    ("unknown-condition", {"call": "assert", "with": {"value": {"a": 1}}, "expect": [{"path": "a", "resembles": 1}]}),
    ("no-error", {"call": "assert", "with": {"value": {"a": 1}}, "error": {"code": "not_found"}}),
    ("wrong-code", {"call": "connect", "with": {"id": "no-such-sandbox"}, "error": {"code": "not_found"}}),
    ("wrong-class", {"call": "connect", "with": {"id": "no-such-sandbox"},
                     "error": {"code": "session_not_found", "class": "ConflictError"}}),
)]


def judge(command, document, environment):
    """Runs COMMAND and compares what it tells with the scenarios there are."""
    told = {}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    for line in process.stdout:
        try:
            verdict = json.loads(line)
            name, ok = verdict["scenario"], verdict["ok"]
        except (ValueError, KeyError, TypeError):
            print(line, end="", flush=True)
            continue
        right = ok is (not name.startswith("must-fail-"))
        print(f"{'ok    ' if right else 'FAILED'} {name} {verdict.get('detail', '')}", flush=True)
        told.setdefault(name, []).append(right)
    status = process.wait()
    wanted = [scenario["name"] for scenario in document["scenarios"]]
    problems = [f"{name}: {'not told' if name not in told else 'told twice' if len(told[name]) > 1 else 'failed'}"
                for name in wanted if told.get(name) != [True]]
    problems += [f"{name}: no such scenario" for name in told if name not in wanted]
    if status:
        problems.append(f"the runner ended with {status}")
    for problem in problems:
        print(f"harness: {problem}")
    print(f"harness: {len(wanted)} scenarios, {len(problems)} problems")
    return 1 if problems or not wanted else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--only")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--without-scenarios", action="store_true")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    document = read_scenarios(args.only)
    if not document["scenarios"]:
        sys.exit(f"harness: no scenario matches {args.only}")
    document["scenarios"] += MUST_FAIL
    with tempfile.TemporaryDirectory(prefix="atoll-sdk-", dir=args.folder) as name, world(folder := pathlib.Path(name)) as environment:
        if args.without_scenarios:
            return subprocess.run(args.command, env={**os.environ, **environment}, check=False).returncode
        file = folder / "scenarios.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        return judge(args.command, document, environment | {"ATOLL_SCENARIOS": str(file)})


if __name__ == "__main__":
    sys.exit(main())
