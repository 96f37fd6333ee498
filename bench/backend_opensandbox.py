"""The section `opensandbox`: sandboxes of an OpenSandbox server through `atoll serve`, beside its official SDK.

The server is the real one. Its agent is a stand-in unless ATOLL_TEST_EXECD names a real `execd`, whose event streams
end a second after the program does: the SDK waits for that, Atoll does not.
"""
import json
import os
import pathlib
import sys
import time

import measure
from backend_server import BackendServer

SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "tests/support"
sys.path.insert(0, str(SUPPORT))

from with_dockerd import IMAGE  # noqa: E402
from with_opensandbox import KEY, OpenSandbox, environment  # noqa: E402

CREATE = "create a sandbox"
FIRST = "the first true in it"
EXEC = "true in a running sandbox, OpenSandbox"
BYTES = 10_000_000  # as the SDK's part has it
DEADLINE = 60


class Server(BackendServer):
    """`atoll serve` without a pool, and one connection to it."""

    def __init__(self, atoll, folder, remote):
        config = folder / "opensandbox.json"
        local = {"serverUrl": remote.url, "apiKey": KEY, "defaultImage": IMAGE, "tosPath": ""}
        config.write_text(json.dumps({
            "sandbox": {"enabled": True, "backend": "opensandbox", "mode": "per-session",
                        "opensandbox": {"entrypoint": ["sleep", "infinity"], "local": local}},
            "pool": {"size": 0}}))
        config.chmod(0o644)
        super().__init__(atoll, str(folder / "opensandbox-data"), "--config", str(config))


def timed(function):
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1000


def round_of_atoll(server):
    made, create_ms = timed(lambda: server.call("POST", "/sessions", {"template_id": "shell-default"}))
    base = f"/sessions/{json.loads(made)['id']}"

    def execute():
        return timed(lambda: server.call("POST", f"{base}/execute", {"command": ["true"]}))[1]

    first_ms = execute()
    exec_ms = sorted(execute() for _ in range(5))[2]
    content = os.urandom(BYTES)
    put_ms = timed(lambda: server.call("PUT", f"{base}/files/content", content))[1]
    back, get_ms = timed(lambda: server.call("GET", f"{base}/files/content"))
    if back != content:
        raise RuntimeError("the file came back changed")
    server.call("DELETE", base)
    return {"create_ms": create_ms, "first_exec_ms": first_ms, "exec_ms": exec_ms, "put_mb_s": BYTES / put_ms / 1000,
            "get_mb_s": BYTES / get_ms / 1000}


def opensandbox(out, bin_dir, scratch, quick):
    scratch.chmod(0o711)  # the server is another user
    with OpenSandbox() as remote:
        server = Server(str(bin_dir / "atoll"), scratch, remote)
        sdk = [str(environment() / "bin/python"), str(SUPPORT / "opensandbox_sdk.py"), remote.url, KEY, IMAGE]
        figures = {"atoll": [], "official SDK": []}
        try:
            for _ in range(3 if quick else 10):
                figures["atoll"].append(round_of_atoll(server))
                figures["official SDK"].append(json.loads(measure.output_of(sdk, timeout=DEADLINE)))
        finally:
            server.stop()
    for case, name in ((CREATE, "create_ms"), (FIRST, "first_exec_ms"), (EXEC, "exec_ms")):
        for contender, rounds in figures.items():
            out.add_latency("opensandbox", case, contender, "", [one[name] for one in rounds])
    for case, name in (("upload of 10 MB", "put_mb_s"), ("download of 10 MB", "get_mb_s")):
        for contender, rounds in figures.items():
            out.add_value("opensandbox", case, contender, "MB/s", max(one[name] for one in rounds))
