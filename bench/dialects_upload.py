"""One file through an unmodified Python SDK and by REST, in turns: the best MB/s of each, and by how much the server grew.

usage: dialects_upload.py e2b|opensandbox FILE ROUNDS    (URL, KEY and SERVER, its pid, are in the environment)
"""
import http.client
import json
import os
import pathlib
import re
import sys
import time

PIECE = 64 << 10  # as the SDKs read files
URL, KEY, SERVER = (os.environ[name] for name in ("URL", "KEY", "SERVER"))


def of_e2b():
    from e2b import Sandbox  # pylint: disable=import-outside-toplevel

    box = Sandbox.create()
    return box.sandbox_id, lambda data: box.files.write("big", data), box.kill


def of_opensandbox():
    from opensandbox.config.connection_sync import ConnectionConfigSync  # pylint: disable=import-outside-toplevel
    from opensandbox.models.filesystem import WriteEntry  # pylint: disable=import-outside-toplevel
    from opensandbox.sync import SandboxSync  # pylint: disable=import-outside-toplevel

    config = ConnectionConfigSync(domain=URL.removeprefix("http://"), api_key=KEY)
    box = SandboxSync.create("opensandbox/code-interpreter:v1.0.1", connection_config=config)
    return box.id, lambda data: box.files.write_files([WriteEntry(path="/workspace/big", data=data, mode=644)]), box.kill


def rest(method, path, data=None):
    connection = http.client.HTTPConnection(URL.removeprefix("http://"), timeout=120, blocksize=PIECE)
    length = {"Content-Length": str(os.fstat(data.fileno()).st_size)} if data else {}
    connection.request(method, "/api/v1" + path, data, {"Authorization": f"Bearer {KEY}", **length})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def kilobytes(name):
    return int(re.search(name + r":\s+(\d+)", pathlib.Path(f"/proc/{SERVER}/status").read_text())[1])


def main():
    sdk, file, rounds = sys.argv[1:]
    size = os.stat(file).st_size
    ident, upload, kill = {"e2b": of_e2b, "opensandbox": of_opensandbox}[sdk]()
    path = f"/sessions/{ident}/files/big"
    ways = {"sdk": upload, "rest": lambda data: rest("PUT", path, data)}
    best = {"sdk": 0, "rest": 0, "growth": 0}
    for _ in range(int(rounds)):
        for name, way in ways.items():
            rest("DELETE", path)
            pathlib.Path(f"/proc/{SERVER}/clear_refs").write_text("5")
            before = kilobytes("VmRSS")
            # Not bytes: httpx copies what is left of them for every part that the socket takes.
            with open(file, "rb") as content:
                begun = time.perf_counter()
                way(content)
                best[name] = max(best[name], size / 1e6 / (time.perf_counter() - begun))
            if name == "sdk":
                best["growth"] = max(best["growth"], kilobytes("VmHWM") - before)
            there = rest("HEAD", path).headers["Content-Length"]
            if int(there or 0) != size:
                raise SystemExit(f"{name}: {there} bytes have arrived")
    kill()
    print(json.dumps(best))


if __name__ == "__main__":
    main()
