"""A server without a pool, for the sections of the backends."""
import http.client
import json
import subprocess

DEADLINE = 60


class BackendServer:
    """`atoll serve` with these options, and one connection to it."""

    def __init__(self, atoll, data, *options):
        self.process = subprocess.Popen(
            [atoll, "serve", "--listen", "127.0.0.1:0", "--data", data, "--no-auth", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next((line for line in self.process.stdout if line.startswith("atoll listens on ")), None)
        if line is None:
            raise RuntimeError("atoll serve did not start")
        self.connection = http.client.HTTPConnection(line.split()[-1].removeprefix("http://"), timeout=DEADLINE)

    def call(self, method, path, body=None):
        data = json.dumps(body) if isinstance(body, dict) else body
        self.connection.request(method, "/api/v1" + path, data, {"Content-Type": "application/json", "Prefer": "wait=30"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return text

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(DEADLINE)
        self.process.stdout.close()
