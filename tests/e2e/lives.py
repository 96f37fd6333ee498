"""Makes, uses and deletes sessions of one server many times, and counts what the host and the server have before and
after. Not a part of the tests, which have the audit of `atoll run` (tests/security/leak_audit.py).

usage: lives.py [LIVES]  (ATOLL_BIN is the folder of the programs; default 10000)

Counted after a warm-up and again at the end, while nothing lives: what leak_audit.py counts, and of the server and its
launcher the memory, the descriptors and the files of their folders. Exits with 1 when one of them has grown.
"""
import os
import pathlib
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "security"))

import leak_audit  # noqa: E402
from crash_clients import call  # noqa: E402
from leftovers import Leftovers  # noqa: E402
from server import DEADLINE, Server  # noqa: E402
from soak import figures, launcher_of  # noqa: E402

WARM_UP, CLIENTS = 400, 4
# By how much a figure may differ although nothing leaks: allocators keep what they had once, and the server writes one
# row for each life.
SLACK = {**leak_audit.SLACK, "server MB": 24, "launcher MB": 4, "server descriptors": 10, "launcher descriptors": 10}


def life(socket, number):
    python = number % 4 == 1
    body = {"template_id": "python-default" if python else "shell-default"}
    status, session = call(socket, "POST", "/sessions", body, Prefer="wait")
    assert status == 201, session
    path = f"/sessions/{session['id']}"
    if number % 4 == 3:  # deleted while it runs
        status, told = call(socket, "POST", path + "/execute", {"command": "sleep 1000 & echo x > f; exec sleep 1000"})
        assert status == 202, told
    else:
        wish = {"code": "print(2)"} if python else {"command": "echo 2"}
        status, told = call(socket, "POST", path + "/execute", wish, Prefer="wait=30")
        assert (status, told.get("stdout")) == (200, "2\n"), told
    assert call(socket, "DELETE", path)[0] == 204


def lives(socket, first, count):
    with ThreadPoolExecutor(CLIENTS) as clients:
        for _ in clients.map(lambda number: life(socket, number), range(first, first + count)):
            pass


def snapshot(server, leftovers):
    found = leak_audit.snapshot()
    launcher = launcher_of(leftovers)
    for name, pid in (("server", server.process.pid), ("launcher", launcher)):
        memory, found[f"{name} descriptors"] = figures(pid)
        found[f"{name} MB"] = round(memory, 1)
    found["entries of the server's run folder"] = leak_audit.folder_entries(leftovers.run)
    for name in ("sandboxes", "journals", "outputs"):
        found[f"data/{name}"] = leak_audit.folder_entries(leftovers.data / name)
    return found


def settled(server, leftovers, before):
    """Sandboxes end in the background, and slots that nobody needs go while the host is idle."""
    deadline = time.monotonic() + DEADLINE
    while True:
        after = snapshot(server, leftovers)
        grown = [key for key in after if after[key] > before.get(key, 0) + SLACK.get(key, 0)]
        if not grown or time.monotonic() > deadline:
            return after, grown
        time.sleep(0.5)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        socket = folder + "/data/socket"
        with Server(folder + "/data", "--no-auth", "--set", "pool.size=0", "--set", f"server.unix_socket={socket}") as server:
            leftovers = Leftovers(server.data)
            lives(socket, 0, WARM_UP)
            leftovers.check()
            before = snapshot(server, leftovers)
            began = time.monotonic()
            lives(socket, WARM_UP, count)
            took = time.monotonic() - began
            leftovers.check()
            after, grown = settled(server, leftovers, before)
    for key, figure in after.items():
        print(f"{'FAIL' if key in grown else 'ok  '}  {key}: {before[key]} before, {figure} after {count} lives")
    print(f"{count} lives in {took:.0f} s")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
