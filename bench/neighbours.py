"""The section `neighbours`: a command in one session while six others keep every processor busy."""
import http.client
import json
import os
import pathlib
import statistics
import sys
import time

COMMAND = "a command, answered"
QUIET, NOISY = "alone", "beside six bombs"
RATIO = "p99 of a command beside six bombs, to that alone"
BOMBS = 6
# Forks, burns and writes, with as many processes as a session may have.
BOMB = "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; while :; do /bin/true; done"


class Caller:
    """One connection that is kept: a new one for each request would be measured as well."""

    def __init__(self, base):
        self.connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=60)

    def command(self, session):
        began = time.perf_counter()
        self.connection.request("POST", f"/api/v1/sessions/{session}/execute", json.dumps({"command": ["/bin/true"]}),
                                {"content-type": "application/json", "Prefer": "wait=30"})
        answer = json.loads(self.connection.getresponse().read())
        took = (time.perf_counter() - began) * 1000
        if answer["exit_code"] != 0:
            raise RuntimeError(f"the command failed: {answer}")
        return took


def neighbours(out, bin_dir, scratch, quick):
    os.environ["ATOLL_BIN"] = str(bin_dir)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/e2e"))
    from server import Server

    scratch.chmod(0o711)  # the server is another user
    times = 300 if quick else 2000
    with Server(str(scratch / "neighbours"), "--no-auth", "--set", "pool.size=0") as server:
        body = {"template_id": "shell-default", "config": {"timeout_seconds": 3600}}
        quiet = server.session(**body)
        caller = Caller(server.base)
        for _ in range(20):
            caller.command(quiet)
        alone = [caller.command(quiet) for _ in range(times)]
        out.add_latency("neighbours", COMMAND, "atoll", QUIET, alone)
        for _ in range(BOMBS):
            path = f"/api/v1/sessions/{server.session(**body)}/execute"
            status, answer = server.call("POST", path, {"command": BOMB, "timeout": 3000})
            if status != 202:
                raise RuntimeError(f"a bomb did not start: {answer}")
        time.sleep(1)  # all of them burn
        beside = [caller.command(quiet) for _ in range(times)]
        out.add_latency("neighbours", COMMAND, "atoll", NOISY, beside)
        p99 = lambda samples: statistics.quantiles(samples, n=100)[-1]
        out.add_value("neighbours", RATIO, "atoll", "", p99(beside) / p99(alone))
