"""Clients that go on whatever happens to their server, and know exactly what they were told.

Every request that makes something carries an Idempotency-Key and is repeated until it is answered: what was acknowledged
must be there once, at the end.
"""
import http.client
import itertools
import json
import random
import socket
import threading
import time

DEADLINE = 60
PATIENCE = 240  # seconds for one request, through any number of kills
FINAL = {"completed", "failed", "timed_out", "cancelled"}
LIFETIME = 600  # seconds that a session has which nobody deletes
MOST_KEPT = 100  # by one client, for the memory of the machine
BUSY = {409, 429, 500, 502, 503, 507}  # "the first request still runs", "the store cannot be written to", ...


class UnixConnection(http.client.HTTPConnection):
    """A port may belong to somebody else's server after a restart; a name of our own does not."""

    def __init__(self, path, patience):
        super().__init__("localhost", timeout=patience)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(path_of_socket, method, path, body=None, patience=DEADLINE, **headers):
    """(status, body), or OSError and HTTPException when the server died of it."""
    connection = UnixConnection(path_of_socket, patience)
    try:
        connection.request(method, "/api/v1" + path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else text
    finally:
        connection.close()


class Client:
    """Creates, executes and, seven times of ten, deletes; one thread."""
    numbers = itertools.count(1)

    def __init__(self, path_of_socket, over):
        self.socket, self.over = path_of_socket, over
        self.name = f"client-{next(self.numbers)}"
        self.kept, self.deleted = {}, {}  # session to the key that it was made with
        self.interrupted = set()  # those of the deleted whose first DELETE was not answered
        self.results = {}  # execution to what was told of its end
        self.keys = []
        self.failure = None
        self.random = random.Random(self.name)
        self.thread = threading.Thread(target=self.work, name=self.name)
        self.thread.start()

    def work(self):
        try:
            while not self.over.is_set():
                self.cycle()
        except Exception as error:  # for the test's own thread
            self.failure = error

    def cycle(self):
        key = f"{self.name}-{len(self.keys)}"
        self.keys.append(key)
        session = self.insist("POST", "/sessions", {"template_id": "shell-default", "config": {"timeout_seconds": LIFETIME},
                                                    "labels": {"client": self.name, "key": key}},
                              {"Idempotency-Key": key, "Prefer": self.random.choice(["wait", "respond-async"])})["id"]
        self.kept[session] = key
        self.execute(session, key)
        if self.random.random() < 0.7 or len(self.kept) >= MOST_KEPT:
            self.insist("DELETE", f"/sessions/{session}")
            if self.attempts > 1:
                self.interrupted.add(session)
            self.deleted[session] = self.kept.pop(session)

    def execute(self, session, key):
        body = {"command": f"echo {key} >> log; echo {key}"}
        told = self.insist("POST", f"/sessions/{session}/execute", body,
                           {"Idempotency-Key": "run-" + key, "Prefer": "wait=30"},
                           unless=lambda: self.insist("GET", f"/sessions/{session}")["status"] == "failed")
        if told is None:  # why it failed is checked at the end
            return
        deadline = time.monotonic() + DEADLINE
        while told["state"] not in FINAL:
            assert time.monotonic() < deadline, told
            time.sleep(0.02)
            told = self.insist("GET", f"/executions/{told['execution_id']}")
        self.results[told["execution_id"]] = told

    def insist(self, method, path, body=None, headers=None, unless=None):
        """The answer, however often the server dies before it comes."""
        deadline = time.monotonic() + PATIENCE
        for self.attempts in itertools.count(1):
            try:
                status, answer = call(self.socket, method, path, body, **(headers or {}))
            except (OSError, http.client.HTTPException):
                status, answer = None, "no answer"
            if status and status < 300:
                return answer
            if status == 409 and unless and unless():
                return None
            assert status is None or status in BUSY, (method, path, status, answer)
            assert time.monotonic() < deadline, (method, path, status, answer)
            time.sleep(0.02)
