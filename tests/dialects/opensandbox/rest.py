"""The server's own API, to read back what a client of the dialect did. Standard library only."""
import json
import time
import urllib.error
import urllib.request

DEADLINE = 60


class Rest:
    def __init__(self, base, key):
        self.base, self.key = base, key

    def raw(self, method, path, body=None, headers=None):
        """(status, headers, bytes)"""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method, headers={
            "X-API-Key": self.key, "Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.headers, answer.read()

    def get(self, path):
        status, _, body = self.raw("GET", f"/api/v1{path}")
        assert status == 200, (path, status, body)
        return json.loads(body)

    def file(self, session, name):
        status, headers, body = self.raw("GET", f"/api/v1/sessions/{session}/files/{name}")
        return (body, headers["X-Atoll-Mode"]) if status == 200 else (status, None)

    def names(self, session, path="", depth=5):
        return [one["path"] for one in self.get(f"/sessions/{session}/files?path={path}&depth={depth}")["files"]]

    def execute(self, session, **body):
        status, _, answer = self.raw("POST", f"/api/v1/sessions/{session}/execute", body, {"Prefer": "wait=30"})
        assert status == 200, answer
        return json.loads(answer)


def until(condition, what):
    deadline = time.monotonic() + DEADLINE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f"in vain: {what}")
        time.sleep(0.02)
    return found


def expect(actual, expected):
    if actual != expected:
        raise SystemExit(f"{actual!r} instead of {expected!r}")
