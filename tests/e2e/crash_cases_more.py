"""The rest of what a server may be doing when it is killed: templates, snapshots, /run, and its own start."""
from crash_cases import ANSWERS, EXECUTE, SHELL, Create, Execute, Operation, until

TEMPLATE = {"image": "host", "language": "bash", "pool": 0}


class AddTemplate(Operation):
    points = ["idempotency.begun", "template.begun", "template.written", *ANSWERS]

    def prepare(self):
        pass

    def act(self):
        return self.post("/templates", {"id": self.key, **TEMPLATE})

    def check(self, told):
        status, template = self.act()
        assert status == 201 and (not told or told[1] == template), (template, told)
        assert self.get(f"/templates/{self.key}") == (200, template), template
        self.session = self.server.session(template_id=self.key)

    def clean_up(self):
        self.send("DELETE", f"/templates/{self.key}")
        super().clean_up()


class ReplaceTemplate(AddTemplate):
    """Two of the old kind wait in the pool."""
    points = ["template.begun", "template.written", *ANSWERS]

    def prepare(self):
        self.post("/templates", {"id": self.key, **TEMPLATE, "pool": 2})

    def act(self):
        return self.send("PUT", f"/templates/{self.key}", {**TEMPLATE, "env": {"A": "new"}})

    def check(self, told):
        template = self.get(f"/templates/{self.key}")[1]
        assert template == told[1] if told else template["version"] in (1, 2), template
        self.send("PUT", f"/templates/{self.key}", TEMPLATE)
        self.session = self.server.session(template_id=self.key)


class RemoveTemplate(ReplaceTemplate):
    def act(self):
        return self.send("DELETE", f"/templates/{self.key}")

    def check(self, told):
        status, _ = self.get(f"/templates/{self.key}")
        assert status == 404 or not told and status == 200, status
        self.send("DELETE", f"/templates/{self.key}")
        self.session = self.server.session(**SHELL)


class Snapshot(Operation):
    points = ["idempotency.begun", "snapshot.taken", "snapshot.file", "snapshot.written", *ANSWERS]

    def prepare(self):
        super().prepare()
        self.server.execute(self.session, command="echo kept > note")

    def act(self):
        return self.post(f"/sessions/{self.session}/snapshots", {"name": "s"})

    def check(self, told):
        status, snapshot = self.act()
        assert status == 201 and (not told or told[1] == snapshot), (snapshot, told)
        assert [one["id"] for one in self.get("/snapshots")[1]["snapshots"]] == [snapshot["id"]]
        other = self.server.session(**SHELL, snapshot_id=snapshot["id"])
        assert self.get(f"/sessions/{other}/files/note") == (200, b"kept\n")
        self.delete(other)

    def clean_up(self):
        for one in self.get("/snapshots")[1]["snapshots"]:
            assert self.send("DELETE", f"/snapshots/{one['id']}")[0] == 204
        super().clean_up()


class RemoveSnapshot(Snapshot):
    points = ["snapshot.removed", *ANSWERS]

    def prepare(self):
        super().prepare()
        self.snapshot = super().act()[1]["id"]

    def act(self):
        return self.send("DELETE", f"/snapshots/{self.snapshot}")

    def check(self, told):
        status, _ = self.get(f"/snapshots/{self.snapshot}")
        assert status == 404 or not told and status == 200, status


class CreateFromSnapshot(Create):
    """Made again after a crash, it has the snapshot's files again."""
    points = ["create.written", "create.made", "create.restored", "create.ready", *ANSWERS]

    def prepare(self):
        super().prepare()
        source = self.server.session(**SHELL)
        self.server.execute(source, command="echo kept > note")
        snapshot = self.server.call("POST", f"/api/v1/sessions/{source}/snapshots", {})[1]
        self.body["snapshot_id"] = snapshot["id"]
        self.delete(source)

    def check(self, told):
        super().check(told)
        assert self.get(f"/sessions/{self.session}/files/note") == (200, b"kept\n")

    def clean_up(self):
        super().clean_up()
        self.send("DELETE", f"/snapshots/{self.body['snapshot_id']}")


class Run(Operation):
    """Its session is nobody's when the answer was not given."""
    points = ["idempotency.begun", "create.begun", "create.written", "run.created", "execute.begun", "execute.written",
              *EXECUTE, "run.executed", "delete.begun", "delete.stopped", "delete.written", "delete.done", *ANSWERS]

    def prepare(self):
        pass

    def act(self):
        return self.post("/run", {**SHELL, "command": "echo out"})

    def check(self, told):
        unfinished = self.get("/sessions?status=creating,ready,running,paused")[1]["sessions"]
        assert unfinished == [], unfinished
        first = self.act()
        assert first[0] in (200, 202) and self.act() == first, first
        assert not told or told == first, (told, first)
        ended = self.get(f"/executions/{first[1]['execution_id']}")[1]
        if ended["state"] == "completed":
            assert (first[0], ended["stdout"]) == (200, "out\n"), (first, ended)
        else:
            assert (first[0], ended["error"]["code"]) == (202, "server_restarted"), (first, ended)
        for action in ("session_created", "execution_started", *(["session_deleted"] if told else [])):
            self.recorded(action, ended["session_id"])

    def clean_up(self):
        pass


class RunWithoutKey(Run):
    points = ["run.created", "execute.spawned", "run.executed", "delete.written"]

    def act(self):
        return self.send("POST", "/run", {**SHELL, "command": "echo out"})

    def check(self, told):
        unfinished = self.get("/sessions?status=creating,ready,running,paused")[1]["sessions"]
        assert unfinished == [] and not told, unfinished


class Reconcile(Execute):
    """The next server dies, too, while it brings things together."""
    points = ["reconcile.executions", "reconcile.found", "reconcile.unknown"]
    parked = 1
    headers = {}
    body = {"command": "echo ran >> log; echo out; sleep 1000"}

    def prepare(self):
        super().prepare()
        self.told = Execute.act(self)
        path = f"/executions/{self.told[1]['execution_id']}"
        until(lambda: self.get(path)[1]["stdout"] == "out\n", "it prints")
        self.server.kill()

    def act(self):
        if not self.server.fault:
            return Execute.act(self)
        self.wait_for_end()
        return self.told


CASES = [AddTemplate, ReplaceTemplate, RemoveTemplate, Snapshot, RemoveSnapshot, CreateFromSnapshot, Run, RunWithoutKey,
         Reconcile]
