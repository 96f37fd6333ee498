#!/usr/bin/env python3
"""Lists the source files whose code runs for one request: a create from the pool, or an execute that waits.

Every function of the server's libraries gets a breakpoint that counts once, and a warm server gets the request. What
its timers do meanwhile is listed too. As root; needs gdb. docs/architecture.md has what it found.

usage: request_walk.py --build build/release create | execute
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ("api", "backends", "bodies", "config", "contexts", "control", "drivers", "egress", "guest", "model", "node",
             "policy", "sandbox", "server", "store")
PATIENCE = 300
# Runs inside gdb. `walk` has the addresses, and where to write what was hit.
IN_GDB = """
import gdb, json, os
walk = json.load(open("{walk}"))
gdb.execute("set pagination off")
gdb.execute("handle all nostop noprint pass")
gdb.execute("handle SIGTRAP SIGINT stop")
gdb.execute("handle SIGINT nopass")
for address in walk["addresses"]:
    gdb.Breakpoint("*%d" % address, internal=True, temporary=True)
hits = []
def stopped(event):
    if isinstance(event, gdb.BreakpointEvent):
        hits.extend(int(one.location[1:]) for one in event.breakpoints)
gdb.events.stop.connect(stopped)
open(walk["ready"], "w").close()
while not os.path.exists(walk["done"]):
    gdb.execute("continue", to_string=True)
json.dump(hits, open(walk["hits"], "w"))
gdb.execute("detach")
"""


def nm(*arguments):
    return subprocess.run(["nm", "--defined-only", *arguments], capture_output=True, text=True, check=True).stdout


def functions(build):
    """Address in the program -> source file, of functions that one file alone has."""
    files = collections.defaultdict(set)
    for library in build.glob("src/**/*.a"):
        folder = library.parent.relative_to(build / "src").as_posix()
        if folder.split("/")[0] not in LIBRARIES:
            continue
        for line in nm("-A", str(library)).splitlines():
            found = re.match(r".*\.a:([^:]+)\.o:[0-9a-f]+ [tT] (\S+)$", line)
            if found and not re.search(r"_GLOBAL__sub|\.destroy$|\.cleanup$", found[2]):
                files[found[2]].add(f"{folder}/{found[1]}")
    known = {}
    for line in nm(str(build / "bin/atoll-server")).splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tT" and len(files.get(name, ())) == 1:
            known[int(address, 16)] = next(iter(files[name]))
    return known


def server_process(folder):
    for status in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            if status.read_text().strip() == "atoll-server" and folder in (status.parent / "cmdline").read_text():
                return int(status.parent.name)
        except OSError:
            pass
    raise RuntimeError("there is no server")


def walk(process, known, request):
    """The source files whose code ran."""
    maps = pathlib.Path(f"/proc/{process}/maps").read_text().splitlines()
    base = int(next(line for line in maps if "atoll-server" in line and " 00000000 " in line).split("-")[0], 16)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        told = {key: str(folder / key) for key in ("ready", "done", "hits")}
        (folder / "walk").write_text(json.dumps({**told, "addresses": [base + address for address in known]}))
        (folder / "in_gdb.py").write_text(IN_GDB.format(walk=folder / "walk"))
        with subprocess.Popen(["gdb", "-q", "-nx", "-batch", "-p", str(process), "-x", str(folder / "in_gdb.py")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as debugger:
            deadline = time.monotonic() + PATIENCE
            while not (folder / "ready").exists():
                if time.monotonic() > deadline or debugger.poll() is not None:
                    debugger.kill()
                    raise RuntimeError("gdb cannot attach")
                time.sleep(0.1)
            time.sleep(2)  # until all breakpoints are in place
            request()
            (folder / "done").touch()
            os.kill(process, signal.SIGINT)
            debugger.wait(PATIENCE)
        return sorted({known[hit - base] for hit in json.loads((folder / "hits").read_text())})


def main():
    parser = argparse.ArgumentParser(description="the source files whose code runs for one request")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("request", choices=("create", "execute"))
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ["ATOLL_BIN"] = str(build / "bin")
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    from server import Server

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)  # the server is another user
        with Server(f"{folder}/data", "--no-auth", "--set", "pool.size=2") as server:
            create = lambda: server.session(template_id="shell-default")
            execute = lambda: server.execute(session, command="true")
            for _ in range(3):
                session = create()
                execute()
            time.sleep(3)  # until the pool is full
            found = walk(server_process(folder), functions(build), create if options.request == "create" else execute)
    print("\n".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
