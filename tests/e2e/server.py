"""A server for the tests, and requests to it."""
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from support import ATOLL

DEADLINE = 60


def until(condition, what):
    deadline = time.monotonic() + DEADLINE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.01)
    return found


class Server:
    """A server on a free port, with a data folder that outlives it."""

    def __init__(self, data, *options):
        self.data, self.options = data, options
        self.start()

    def start(self, **environment):
        self.launch(**environment)
        for line in self.process.stdout:
            if line.startswith("atoll listens on "):
                self.base = line.split()[-1]
                return
        raise AssertionError(f"it did not start: {self.process.wait()}")

    def launch(self, **environment):
        """Without waiting for its port."""
        self.process = subprocess.Popen(
            [ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.terminate()
        status = self.process.wait(DEADLINE)
        self.process.stdout.close()
        return status

    def call(self, method, path, body=None, headers=None):
        """(status, body)"""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"content-type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as answer:
            status, text = answer.code, answer.read()
            answer.close()
        try:
            return status, json.loads(text) if text else None
        except ValueError:
            return status, text

    def session(self, **body):
        status, session = self.call("POST", "/api/v1/sessions", body, {"Prefer": "wait"})
        assert status == 201, session
        return session["id"]

    def execute(self, session, **body):
        return self.call("POST", f"/api/v1/sessions/{session}/execute", body, {"Prefer": "wait=30"})[1]

    def text(self, session, **body):
        """An execution as an agent's tool hands it on."""
        headers = {"Prefer": "wait=30", "Accept": "text/plain"}
        return self.call("POST", f"/api/v1/sessions/{session}/execute", body, headers)[1].decode()


def check_workspace(case, server):
    """The workspace of a session key is a folder of the host, and of the next session: whatever the walls are."""
    folder = os.path.join(server.data, "workspaces", "default", "chat_1")
    first = server.session(session_key="chat:1")
    done = server.execute(first, command="mkdir -p d && echo kept > d/f && ln -s d/f l && echo gone > g && chmod 755 g")
    case.assertEqual(done["exit_code"], 0, done)
    listed = lambda: sorted(name for name in os.listdir(folder) if name[0] != ".")  # srt has files of its own there
    case.assertEqual(listed(), ["d", "g", "l"])
    case.assertEqual(server.execute(first, command="rm g")["exit_code"], 0)
    case.assertEqual(listed(), ["d", "l"])
    case.assertEqual(server.call("DELETE", f"/api/v1/sessions/{first}")[0], 204)
    again = server.execute(server.session(session_key="chat:1"), command="cat l; ls; echo more >> d/f")
    case.assertEqual(again["stdout"], "kept\nd\nl\n", again)
    with open(f"{folder}/d/f", encoding="utf-8") as file:
        case.assertEqual(file.read(), "kept\nmore\n")
