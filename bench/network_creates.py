#!/usr/bin/env python3
"""What a network costs a warm create: sessions with a policy of two names and sessions without one take turns, hot and
after a pause. Nothing is looked up or connected to.

usage: network_creates.py --bin DIR [--rounds N]     (as root)
"""
import argparse
import http.client
import json
import pathlib
import statistics
import tempfile
import time

import api

POLICY = {"rules": [{"action": "allow", "target": "api.example.com", "ports": [443]},
                    {"action": "allow", "target": "*.example.org"}]}
REFILL = 0.03  # the pool makes the next one meanwhile


class Client:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.headers = {"X-API-Key": server.key, "Content-Type": "application/json", "Prefer": "wait"}

    def call(self, method, path, body=None):
        self.connection.request(method, "/api/v1" + path, json.dumps(body) if body is not None else None, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def create(self, config):
        """Seconds until it is ready."""
        begin = time.monotonic()
        status, body = self.call("POST", "/sessions", {"template_id": "shell-default", "config": config})
        taken = time.monotonic() - begin
        if status != 201:
            raise RuntimeError(body)
        session = json.loads(body)
        if session["status"] != "ready":
            raise RuntimeError(session["status"])
        self.call("DELETE", f"/sessions/{session['id']}")
        return taken


def measure(bin_dir, folder, rounds):
    """(mode, samples in ms without, and with a policy)."""
    server = api.Server(str(bin_dir / "atoll"), f"{folder}/creates")
    try:
        client = Client(server)
        for _ in range(10):
            client.create({"network": POLICY})
        for mode, pause, count in (("hot", 0.0, rounds), ("after 200 ms idle", 0.2, rounds // 4)):
            figures = {"without": [], "with": []}
            for _ in range(count):
                for kind, config in (("without", {}), ("with", {"network": POLICY})):
                    time.sleep(REFILL + pause)
                    figures[kind].append(client.create(config) * 1000)
            yield mode, figures["without"], figures["with"]
    finally:
        if left := server.stop():
            raise RuntimeError(f"the server left something behind: {', '.join(map(str, left[:10]))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o711)
        for mode, *samples in measure(arguments.bin, folder, arguments.rounds):
            without, with_one = map(statistics.median, samples)
            print(f"{mode:18} without {without:.2f} ms, with {with_one:.2f} ms: {with_one - without:+.2f} ms")


if __name__ == "__main__":
    main()
