"""The section `docker`: sandboxes in containers through `atoll serve`, beside the docker command on the same engine."""
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import measure
from backend_server import DEADLINE, BackendServer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))

from with_dockerd import IMAGE, Dockerd  # noqa: E402

CREATE = "create a container"
FIRST = "create, then the first true"
EXEC = "true in a running sandbox"
INSIDE = "true in a running sandbox, without the server"
BYTES = 64 << 20


class Server(BackendServer):
    """`atoll serve --backend docker` without a pool, and one connection to it."""

    def __init__(self, atoll, data, engine):
        sets = ("sandbox.backend=docker", f"sandbox.backends.docker.host=unix://{engine.socket}",
                f"sandbox.backends.docker.image={IMAGE}", "pool.size=0")
        words = [word for one in sets for word in ("--set", one)]
        super().__init__(atoll, data, *words)

    def create(self):
        return json.loads(self.call("POST", "/sessions", {"template_id": "shell-default"}))["id"]

    def execute(self, session):
        self.call("POST", f"/sessions/{session}/execute", {"command": ["true"]})


def timed(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1000


def docker(out, bin_dir, scratch, quick):
    rounds = 5 if quick else 20
    scratch.chmod(0o711)  # the server is another user
    with Dockerd() as engine:
        client = ["docker", "-H", f"unix://{engine.socket}"]
        run = [*client, "run", "--network", "none"]
        server = Server(str(bin_dir / "atoll"), str(scratch / "docker-data"), engine)
        try:
            box = measure.output_of([*run, "-d", IMAGE, "sleep", "3600"]).strip()
            session = server.create()
            samples = {name: [] for name in (CREATE, FIRST, EXEC)}
            plain = {name: [] for name in (CREATE, FIRST, EXEC)}
            for _ in range(rounds):
                samples[EXEC] += [timed(lambda: server.execute(session)) for _ in range(10)]
                plain[EXEC].append(timed(lambda: measure.output_of([*client, "exec", box, "true"])))
            for _ in range(rounds):
                mine = []
                first = timed(lambda: mine.append(server.create()))
                samples[CREATE].append(first)
                samples[FIRST].append(first + timed(lambda: server.execute(mine[0])))
                server.call("DELETE", f"/sessions/{mine[0]}")
                other = []
                plain[CREATE].append(timed(lambda: other.append(measure.output_of([*run, "-d", IMAGE, "sleep", "3600"]).strip())))
                measure.output_of([*client, "rm", "-f", other[0]])
                plain[FIRST].append(timed(lambda: measure.output_of([*run, "--rm", IMAGE, "true"])))
            for case, command in ((CREATE, "docker run -d"), (FIRST, "docker run"), (EXEC, "docker exec")):
                out.add_latency("docker", case, "atoll", "", samples[case])
                out.add_latency("docker", case, command, "", plain[case])
            for row in inside(bin_dir, engine, [*client, "exec", box, "true"], quick):
                contender = "atoll" if row["contender"] == "atoll" else "docker exec"
                out.add_row("docker", {**row, "case": INSIDE, "contender": contender, "mode": ""})
            files(out, server, session, [*client, "cp"], box, scratch)
        finally:
            server.stop()


def inside(bin_dir, engine, rival, quick):
    """The same command by the C++ interface, in turns with `rival`: what server, store and client add is the difference."""
    command = [str(bin_dir / "atoll-bench-backend"), "docker", *(["--quick"] if quick else []), "--", *rival]
    environment = {**os.environ, "DOCKER_HOST": f"unix://{engine.socket}", "ATOLL_TEST_IMAGE": IMAGE}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["rows"]


def files(out, server, session, copy, box, scratch):
    content = os.urandom(BYTES)
    local = scratch / "content"
    local.write_bytes(content)
    path = f"/sessions/{session}/files/content"
    cases = (("upload", lambda: server.call("PUT", path, content), [*copy, str(local), f"{box}:/content"]),
             ("download", lambda: server.call("GET", path), [*copy, f"{box}:/content", str(scratch / "back")]))
    for case, atoll, command in cases:
        best = {"atoll": math.inf, "docker cp": math.inf}
        for _ in range(3):
            best["atoll"] = min(best["atoll"], timed(atoll))
            best["docker cp"] = min(best["docker cp"], timed(lambda: measure.output_of(command)))
        for contender, ms in best.items():
            out.add_value("docker", f"{case} of 64 MiB", contender, "MB/s", BYTES / ms / 1000)
