"""What the server is doing when it is killed, and what must hold when it is back.

An operation has three parts: prepare() on a sound server, act() on the one that will die, check() on the next.
act() returns what the client was told: (status, body), or None when the connection broke. check() gets that.
"""
import http.client
import itertools
import json
import urllib.error

from server import until

DEADLINE = 60
FINAL = {"completed", "failed", "timed_out", "cancelled", "rejected"}
ANSWERS = ["answer.ready", "answer.sent"]
EXECUTE = ["execute.running", "execute.spawned", "execute.output", "execute.ended", "execute.stored", "execute.done"]
SHELL = {"template_id": "shell-default"}

numbers = itertools.count(1)


class Operation:
    points = []
    parked = 0  # sandboxes that wait in the pool

    def __init__(self, server):
        self.server = server
        self.key = f"crash-{next(numbers)}"

    def prepare(self):
        self.session = self.server.session(**SHELL)

    def clean_up(self):
        self.delete(self.session)

    def send(self, method, path, body=None, headers=None):
        try:
            return self.server.call(method, "/api/v1" + path, body, headers)
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
            return None

    def post(self, path, body, **headers):
        """With a key, so that it can be repeated."""
        return self.send("POST", path, body, {"Idempotency-Key": self.key, **headers})

    def get(self, path):
        return self.server.call("GET", "/api/v1" + path)

    def status(self, session):
        return self.get(f"/sessions/{session}")[1]["status"]

    def recorded(self, action, session, times=1):
        """GET /audit tells of it, and not twice."""
        rows = self.get(f"/audit?action={action}&session_id={session}")[1]["audit"]
        assert len(rows) == times, (action, times, rows)
        return rows

    def works(self, session):
        """Whatever it was in the middle of: it can be used."""
        until(lambda: self.status(session) != "creating", "the session is made")
        ran = self.server.execute(session, command="echo it works")
        assert ran.get("stdout") == "it works\n", ran

    def delete(self, session):
        assert self.server.call("DELETE", f"/api/v1/sessions/{session}")[0] == 204
        assert self.status(session) in ("terminated", "failed", "completed")

    def wait_for_end(self):
        """Until the server has died of the armed point."""
        self.server.process.wait(DEADLINE)


class Create(Operation):
    """From nothing: the sandbox is made while the client waits."""
    points = ["idempotency.begun", "create.begun", "create.written", "create.making", "sandbox.token", "sandbox.made",
              "create.made", "create.ready", "idempotency.written", *ANSWERS]
    template, prefer = "shell-default", "wait"

    def prepare(self):
        self.body = {"template_id": self.template, "labels": {"made": self.key}}

    def act(self):
        return self.post("/sessions", self.body, **{"Prefer": self.prefer} if self.prefer else {})

    def check(self, told):
        status, session = self.act()
        assert status in (201, 202), session
        if told:
            assert (status, session) == told, (session, told)
        self.works(session["id"])
        made = self.get(f"/sessions?label=made%3D{self.key}")[1]["sessions"]
        assert [one["id"] for one in made] == [session["id"]], made
        self.recorded("session_created", session["id"])
        self.session = session["id"]


class CreateInBackground(Create):
    """The client has its 202 and goes away."""
    points = ["create.begun", "create.written", "sandbox.made", "create.ready"]
    prefer = None

    def act(self):
        told = super().act()
        if self.server.process.poll() is None and not told:
            self.wait_for_end()
        return told


class CreateFromPool(Create):
    points = ["create.begun", "create.written", *ANSWERS]
    template, parked = "warm", 1

    def act(self):
        self.wait_until_parked()
        return super().act()

    def check(self, told):
        self.wait_until_parked()
        super().check(told)

    def wait_until_parked(self):
        line = b'warm_pool_size{template="warm"} 1\n'
        try:
            until(lambda: line in self.server.call("GET", "/metrics")[1] or self.server.process.poll() is not None, line)
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
            pass


class FillPool(Operation):
    """Nobody asked for anything: the server dies of what it does by itself."""
    points = ["pool.making", "sandbox.token", "sandbox.made", "pool.made", "pool.parked"]
    template, parked = "warm", 1

    def prepare(self):
        pass

    def act(self):
        self.wait_for_end()

    def check(self, told):
        self.session = self.server.session(template_id="warm")
        self.works(self.session)


class Change(Operation):
    points = ["change.written", *ANSWERS]

    def act(self):
        return self.send("PATCH", f"/sessions/{self.session}", {"labels": {"new": self.key}})

    def check(self, told):
        labels = self.get(f"/sessions/{self.session}")[1]["labels"]
        assert labels == {"new": self.key} or not told and not labels, labels
        self.works(self.session)


class Pause(Operation):
    points = ["pause.frozen", "pause.written", *ANSWERS]
    call, becomes, other = "pause", "paused", "ready"

    def act(self):
        return self.send("POST", f"/sessions/{self.session}/{self.call}")

    def check(self, told):
        status = self.status(self.session)
        assert status == self.becomes or not told and status == self.other, status
        if status == "paused":
            refused = self.server.execute(self.session, command="true")
            assert refused.get("code") == "conflict", refused
            assert self.send("POST", f"/sessions/{self.session}/resume")[1]["status"] == "ready"
        self.works(self.session)


class Resume(Pause):
    points = ["resume.thawed", "resume.written", *ANSWERS]
    call, becomes, other = "resume", "ready", "paused"

    def prepare(self):
        super().prepare()
        assert self.send("POST", f"/sessions/{self.session}/pause")[0] == 200


class Delete(Operation):
    points = ["delete.begun", "delete.stopped", "delete.written", "delete.done", *ANSWERS]

    def act(self):
        return self.send("DELETE", f"/sessions/{self.session}")

    def check(self, told):
        # Its sandbox may be gone although its row says ready: that is seen when it is looked for.
        until(lambda: self.get("/ready")[1]["recovering"] == 0, "the sessions are found again")
        status = self.status(self.session)
        assert status == "terminated" or not told and status in ("ready", "failed"), status
        self.recorded("session_deleted", self.session, times=int(status == "terminated"))
        if status == "ready":
            self.works(self.session)


class DeleteWhileItRuns(Delete):
    """With an execution in it, which ends with it or with the server."""

    def prepare(self):
        super().prepare()
        started = self.send("POST", f"/sessions/{self.session}/execute", {"command": "echo begun; sleep 1000"})[1]
        self.execution = f"/executions/{started['execution_id']}"
        until(lambda: self.get(self.execution)[1]["stdout"], "it prints")

    def check(self, told):
        super().check(told)
        ended = self.get(self.execution)[1]
        assert ended["state"] in ("cancelled", "failed"), ended
        assert ended["stdout"] == "begun\n", ended


class Execute(Operation):
    """Told when it has ended."""
    points = ["idempotency.begun", "execute.begun", "execute.written", *EXECUTE, *ANSWERS]
    headers = {"Prefer": "wait=20"}
    body = {"command": "echo ran >> log; echo out"}
    stdout = "out\n"

    def act(self):
        return self.post(f"/sessions/{self.session}/execute", self.body, **self.headers)

    def times(self):
        status, log = self.get(f"/sessions/{self.session}/files/log")
        return 0 if status == 404 else log.count(b"ran\n")

    def check(self, told):
        before = self.times()
        assert before <= 1, before
        status, first = self.act()
        assert status in (200, 202), first
        path = f"/executions/{first['execution_id']}"
        ended = until(lambda: (row := self.get(path)[1])["state"] in FINAL and row, "it ends")
        if ended["state"] == "completed":
            assert (self.times(), ended["stdout"]) == (1, self.stdout), ended
        else:
            assert (ended["state"], ended["error"]["code"]) == ("failed", "server_restarted"), ended
            assert self.times() == before and (status == 202 or not told), ended
            assert self.stdout.startswith(ended["stdout"]), ended
            if self.server.died_at in ("execute.output", "execute.ended"):
                assert ended["stdout"] == self.stdout, ended
        if told:
            assert told[1]["execution_id"] == first["execution_id"], (told, first)
            if told[0] == 200:
                assert (status, first) == told, (told, first)
        again = self.act()
        assert again[1]["execution_id"] == first["execution_id"], again
        results = self.get(f"/sessions/{self.session}/results")[1]["results"]
        assert [one["execution_id"] for one in results] == [first["execution_id"]], results
        row, = self.recorded("execution_started", self.session)
        assert row["execution_id"] == first["execution_id"], row
        assert self.times() <= 1
        self.works(self.session)


class ExecuteInBackground(Execute):
    points = ["execute.written", *EXECUTE]
    headers = {}

    def act(self):
        told = super().act()
        if self.server.fault:
            self.wait_for_end()
        return told


class ExecuteAsStream(ExecuteInBackground):
    points = ["execute.written", *EXECUTE]

    def act(self):
        if not self.server.fault:
            return super().act()
        self.post(f"/sessions/{self.session}/execute", self.body, Accept="text/event-stream")
        return None


class ExecuteMuch(Execute):
    """Its output goes into a file."""
    points = ["store.output_file", "execute.stored", "execute.done", *ANSWERS]
    body = {"command": "echo ran >> log; head -c 200000 /dev/zero | tr '\\0' x"}
    stdout = "x" * 200000


class ExecuteWithoutKey(Execute):
    points = ["execute.begun", *EXECUTE, *ANSWERS]

    def act(self):
        return self.send("POST", f"/sessions/{self.session}/execute", self.body, self.headers)

    def check(self, told):
        assert self.times() <= 1
        results = self.get(f"/sessions/{self.session}/results")[1]["results"]
        if told:
            assert results == [told[1]], (results, told)
        self.recorded("execution_started", self.session, times=len(results))
        for one in results:
            assert (one["state"], one["stdout"], self.times()) == ("completed", "out\n", 1), one
        self.works(self.session)


class ExecuteBeyondTheWait(Operation):
    """The client stops waiting and is told of an execution that was not in the store before."""
    points = ["execute.kept", *ANSWERS]

    def act(self):
        return self.send("POST", f"/sessions/{self.session}/execute",
                         {"command": "echo begun; sleep 1000"}, {"Prefer": "wait=3"})

    def check(self, told):
        results = self.get(f"/sessions/{self.session}/results")[1]["results"]
        assert len(results) == 1, results
        assert (results[0]["error"]["code"], results[0]["stdout"]) == ("server_restarted", "begun\n"), results
        assert not told or told[1]["execution_id"] == results[0]["execution_id"], (told, results)
        self.recorded("execution_started", self.session)
        processes = self.get(f"/sessions/{self.session}/processes")[1]
        assert "begun" not in json.dumps(processes), processes


class ExecuteInContext(Execute):
    points = ["execute.written", "context.opened", "context.written", "execute.stored", *ANSWERS]
    body = {"language": "bash", "code": "echo ran >> log; echo out; kept=yes", "context": "default"}

    def check(self, told):
        super().check(told)
        if told and told[1]["state"] == "completed":
            ran = self.server.execute(self.session, language="bash", code="echo $kept", context="default")
            assert ran["stdout"] == "yes\n", ran
        contexts = self.get(f"/sessions/{self.session}/contexts")[1]["contexts"]
        assert len(contexts) <= 1, contexts


class OpenContext(Operation):
    points = ["idempotency.begun", "context.opened", "context.written", *ANSWERS]

    def act(self):
        return self.post(f"/sessions/{self.session}/contexts", {"language": "bash"})

    def contexts(self):
        return [one["id"] for one in self.get(f"/sessions/{self.session}/contexts")[1]["contexts"]]

    def check(self, told):
        status, opened = self.act()
        assert status == 201, opened
        assert not told or told[1] == opened, (told, opened)
        assert self.contexts() == [opened["id"]], opened
        ran = self.server.execute(self.session, language="bash", code="echo 1", context=opened["id"])
        assert ran["stdout"] == "1\n", ran


class CloseContext(OpenContext):
    points = ["context.closed", "context.removed", *ANSWERS]

    def prepare(self):
        super().prepare()
        self.context = super().act()[1]["id"]

    def act(self):
        return self.send("DELETE", f"/sessions/{self.session}/contexts/{self.context}")

    def check(self, told):
        assert self.contexts() in ([], [] if told else [self.context])
        self.works(self.session)


class Upload(Operation):
    """multipart/form-data with two files."""
    points = ["upload.begun", "upload.data", "upload.finished", *ANSWERS]
    content = bytes(range(256)) * 1000
    files = ("one", "two")

    def act(self):
        parts = b"".join(b'--edge\r\nContent-Disposition: form-data; name="f"; filename="%s"\r\n\r\n%s\r\n'
                         % (name.encode(), self.content) for name in self.files)
        return self.send("POST", f"/sessions/{self.session}/files/upload", parts + b"--edge--\r\n",
                         {"content-type": "multipart/form-data; boundary=edge"})

    def check(self, told):
        listed = {one["path"] for one in self.get(f"/sessions/{self.session}/files?depth=3")[1]["files"]}
        assert listed == set(self.files) or not told and listed < set(self.files), listed
        for name in listed:
            assert self.get(f"/sessions/{self.session}/files/{name}")[1] == self.content, name
        assert self.act()[0] in (200, 201)


class Put(Upload):
    files = ("one",)

    def act(self):
        return self.send("PUT", f"/sessions/{self.session}/files/one", self.content)
