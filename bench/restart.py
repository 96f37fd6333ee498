"""The section `restart`: kill -9 of a server with many sessions, and the next start."""
import os
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

OPEN = "port open"
FOUND = "all sessions found again"
SESSIONS = (0, 100, 400, 800)
WAITING = 100  # executions that one session has waiting or running


def milliseconds(since):
    return (time.perf_counter() - since) * 1000


def restart(out, bin_dir, scratch, quick):
    os.environ["ATOLL_BIN"] = str(bin_dir)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/e2e"))
    from server import Server

    scratch.chmod(0o711)  # the server is another user
    rounds = 3 if quick else 10
    with Server(str(scratch / "restart"), "--no-auth", "--set", "pool.size=0") as server, ThreadPoolExecutor(4) as clients:

        def starts(mode):
            opened, found = [], []
            for _ in range(rounds):
                server.kill()
                began = time.perf_counter()
                server.start()
                opened.append(milliseconds(began))
                while server.call("GET", "/ready")[1]["recovering"]:
                    time.sleep(0.002)
                found.append(milliseconds(began))
            out.add_latency("restart", OPEN, "atoll", mode, opened)
            out.add_latency("restart", FOUND, "atoll", mode, found)

        sessions = []
        for number in SESSIONS:
            make = lambda _: server.session(template_id="shell-default", config={"timeout_seconds": 3600})
            sessions += clients.map(make, range(number - len(sessions)))
            starts(f"{number} sessions")
        # Each start fails what the last server left, so that there must be new ones for each.
        opened = []
        for _ in range(rounds):
            left = [f"/api/v1/sessions/{one}/execute" for one in sessions[:20] for _ in range(WAITING)]
            list(clients.map(lambda path: server.call("POST", path, {"command": "sleep 1000"}), left))
            server.kill()
            began = time.perf_counter()
            server.start()
            opened.append(milliseconds(began))
        out.add_latency("restart", OPEN, "atoll", f"{SESSIONS[-1]} sessions, {20 * WAITING} executions left", opened)
