"""A model of the server: random steps, and what must hold after each. Used by test_model.py and the soak."""
import collections
import http.client
import os
import random
import signal
import threading
import time
import urllib.error

from leftovers import Leftovers, kill_all, launchers_of, pid_of

DEADLINE = 60
FINAL = {"completed", "failed", "timed_out", "cancelled", "rejected"}
BROKEN = (urllib.error.URLError, http.client.HTTPException, ConnectionError)
TEMPLATES = ("shell-default", "warm")
MOST = 6  # sessions at once
KEYS = [f"key:{number}" for number in range(MOST + 1)]


class Session:
    def __init__(self, name, key=None):
        self.id, self.key = name, key
        self.states = {"ready"}  # any of these is right
        self.paused = False
        self.files = {}
        self.log = []  # words that were certainly appended, once each
        self.doubtful = set()  # words that may have been, once
        self.counter = None  # in the default context
        self.context_id = None
        self.running = set()  # executions in the background

    @property
    def usable(self):
        return self.states == {"ready"}

    def begin_with(self, other):
        """The files of the last session with the same key."""
        self.files, self.log, self.doubtful = dict(other.files), list(other.log), set(other.doubtful)


class Model:
    """Each step_…() is one thing that somebody does; check() compares everything there is."""

    def __init__(self, server, seed):
        self.server, self.random = server, random.Random(seed)
        self.leftovers = Leftovers(server.data)
        self.sessions = {}  # living
        self.ended = {}
        self.dying = {}  # killed from outside, which the server has some seconds to see
        self.kept = {}  # by key: the session whose files the next one gets
        self.results = {}  # of executions that have ended: id -> (state, stdout, error code)
        self.words = 0
        self.trail = collections.deque(maxlen=30)
        self.steps = collections.Counter()

    # ---- how it is driven

    WEIGHTS = {"create": 12, "run": 20, "run_with_key": 6, "run_in_context": 10, "background": 8, "cancel": 3, "time_out": 2,
               "write": 12, "read": 8, "pause": 4, "resume": 4, "delete": 5, "delete_twice": 2, "short_life": 1, "kill_guest": 2,
               "kill_server": 4, "kill_in_the_middle": 4, "kill_everything": 1, "stop": 1, "check": 3}

    def step(self):
        name = self.random.choices(list(self.WEIGHTS), self.WEIGHTS.values())[0]
        self.trail.append(name)
        self.steps[name] += 1
        getattr(self, f"step_{name}")()

    def pick(self, condition=lambda session: session.usable):
        fitting = [session for session in self.sessions.values() if condition(session)]
        return self.random.choice(fitting) if fitting else None

    def word(self):
        self.words += 1
        return f"w{self.words}"

    def call(self, method, path, body=None, **headers):
        return self.server.call(method, "/api/v1" + path, body, {k.replace("_", "-"): v for k, v in headers.items()})

    def expect(self, condition, *about):
        if not condition:
            raise AssertionError(f"{about}; the last steps: {' '.join(self.trail)}")

    def until(self, condition, *about):
        deadline = time.monotonic() + DEADLINE
        while not (found := condition()):
            self.expect(time.monotonic() < deadline, "in vain", *about)
            time.sleep(0.003)
        return found

    # ---- sessions

    def step_create(self):
        if len(self.sessions) >= MOST:
            return self.step_delete()
        key = self.word()
        body = {"template_id": self.random.choice(TEMPLATES), "labels": {"word": key}}
        named = [name for name in KEYS if name not in {session.key for session in self.sessions.values()}]
        if self.random.random() < 0.5:
            body["session_key"] = self.random.choice(named) if self.random.random() < 0.8 else f"once:{key}"
        wait = {"Prefer": "wait"} if self.random.random() < 0.7 else {}
        status, session = self.call("POST", "/sessions", body, Idempotency_Key=key, **wait)
        self.expect(status in (201, 202), status, session)
        made = self.sessions[session["id"]] = Session(session["id"], body.get("session_key"))
        if made.key in self.kept:
            made.begin_with(self.kept[made.key])
        return None

    def step_delete(self, session=None):
        session = session or self.pick(lambda one: True)
        if session:
            status, answer = self.call("DELETE", f"/sessions/{session.id}")
            self.expect(status == 204, status, answer)
            self.gone(session, {"terminated"} if session.states <= {"ready", "paused"} else {"terminated", "completed"})

    def gone(self, session, states):
        self.sessions.pop(session.id, None)
        session.states = states
        self.ended[session.id] = session
        if session.key:
            self.kept[session.key] = session

    def step_delete_twice(self):
        session = self.pick()
        if session:
            answers = []
            both = [threading.Thread(target=lambda: answers.append(self.call("DELETE", f"/sessions/{session.id}")[0]))
                    for _ in range(2)]
            for one in both:
                one.start()
            for one in both:
                one.join()
            self.expect(answers == [204, 204], answers)
            self.gone(session, {"terminated"})

    def step_short_life(self):
        """Its lifetime ends, with a program in it."""
        session = self.pick()
        if session:
            self.call("POST", f"/sessions/{session.id}/execute", {"command": "sleep 1000"})
            status, answer = self.call("POST", f"/sessions/{session.id}/renew", {"seconds": 1})
            self.expect(status == 200, answer)
            self.until(lambda: self.call("GET", f"/sessions/{session.id}")[1]["status"] == "completed", "it expires", session.id)
            self.gone(session, {"completed"})

    def step_pause(self):
        session = self.pick()
        if session:
            self.wait_until_made(session)
            status, answer = self.call("POST", f"/sessions/{session.id}/pause")
            self.expect(status == 200 and answer["status"] == "paused", status, answer)
            session.states = {"paused"}

    def step_resume(self):
        session = self.pick(lambda one: one.states == {"paused"})
        if session:
            status, answer = self.call("POST", f"/sessions/{session.id}/execute", {"command": "true"})
            self.expect(status == 409, status, answer)
            status, answer = self.call("POST", f"/sessions/{session.id}/resume")
            self.expect(status == 200 and answer["status"] in ("ready", "running"), status, answer)
            session.states = {"ready"}

    # ---- executions

    def execute(self, session, body, **headers):
        status, answer = self.call("POST", f"/sessions/{session.id}/execute", body, **headers)
        self.expect(status in (200, 202), status, answer)
        if status == 200:
            self.keep(answer)
        return answer

    def keep(self, result):
        self.results[result["execution_id"]] = (result["state"], result["stdout"], (result["error"] or {}).get("code"))

    def step_run(self):
        session, word = self.pick(), self.word()
        if session:
            ran = self.execute(session, {"command": f"echo {word} >> log; echo {word}"}, Prefer="wait=30")
            self.expect((ran.get("state"), ran.get("stdout")) == ("completed", word + "\n"), ran)
            session.log.append(word)

    def step_run_with_key(self):
        """Sent twice, done once."""
        session, word = self.pick(), self.word()
        if session:
            body = {"command": f"echo {word} >> log; echo {word}"}
            first = self.execute(session, body, Prefer="wait=30", Idempotency_Key=word)
            self.expect(first == self.execute(session, body, Prefer="wait=30", Idempotency_Key=word), first)
            session.log.append(word)

    def step_run_in_context(self):
        session = self.pick()
        if session:
            body = {"language": "bash", "code": "n=$((n + 1)); echo $n", "context": "default"}
            ran = self.execute(session, body, Prefer="wait=30")
            session.counter = (session.counter or 0) + 1
            self.expect((ran.get("state"), ran.get("stdout")) == ("completed", f"{session.counter}\n"), ran, session.counter)
            self.expect(session.context_id in (None, ran["context"]), ran, session.context_id)
            session.context_id = ran["context"]

    def step_background(self):
        session, word = self.pick(lambda one: one.usable and len(one.running) < 4), self.word()
        if session:
            started = self.execute(session, {"command": f"echo {word} >> log; echo begun; sleep 1000", "timeout": 600})
            path = f"/executions/{started['execution_id']}"
            self.until(lambda: self.call("GET", path)[1]["stdout"] == "begun\n", "it prints", started)
            session.running.add(started["execution_id"])
            session.log.append(word)

    def step_cancel(self):
        session = self.pick(lambda one: one.usable and one.running)
        if session:
            execution = self.random.choice(sorted(session.running))
            status, answer = self.call("DELETE", f"/executions/{execution}")
            self.expect(status in (200, 202, 204), status, answer)
            ended = self.until(lambda: (row := self.call("GET", f"/executions/{execution}")[1])["state"] in FINAL and row)
            self.expect((ended["state"], ended["stdout"]) == ("cancelled", "begun\n"), ended)
            self.keep(ended)
            session.running.discard(execution)

    def step_time_out(self):
        session = self.pick()
        if session:
            ran = self.execute(session, {"command": ["sleep", "1000"], "timeout": 0.05}, Prefer="wait=30")
            self.expect((ran.get("state"), ran.get("timed_out")) == ("timed_out", True), ran)

    # ---- files

    def step_write(self):
        session = self.pick()
        if session:
            name, size = f"f{self.random.randrange(5)}", self.random.choice((0, 10, 1000, 200_000))
            content = self.random.randbytes(size)
            status, answer = self.call("PUT", f"/sessions/{session.id}/files/{name}", content)
            self.expect(status in (200, 201), status, answer)
            session.files[name] = content

    def step_read(self):
        session = self.pick()
        if session:
            for name in [f"f{self.random.randrange(5)}"]:
                status, content = self.call("GET", f"/sessions/{session.id}/files/{name}")
                if name in session.files:
                    self.expect((status, content or b"") == (200, session.files[name]), status, name)
                else:
                    self.expect(status == 404, status, name)

    # ---- ends

    def step_kill_guest(self):
        session = self.pick(lambda one: one.usable and one.key not in KEYS)  # its last files are lost with it
        if session:
            self.wait_until_made(session)
            (sandbox,) = self.leftovers.rows(f"SELECT sandbox_id FROM sessions WHERE id = '{session.id}'")
            os.kill(pid_of(self.leftovers.run / "boxes" / sandbox), signal.SIGKILL)
            self.gone(session, {"failed"})
            self.dying[session.id] = session

    def wait_until_made(self, session):
        self.until(lambda: self.call("GET", f"/sessions/{session.id}")[1]["status"] != "creating", "it is made", session.id)

    def restarted(self):
        """What ran in the background has ended, with the output that was seen."""
        self.server.start()
        for session in self.sessions.values():
            for execution in session.running:
                self.results[execution] = ("failed", "begun\n", "server_restarted")
            session.running.clear()
        self.check()

    def step_kill_server(self):
        self.server.kill()
        self.restarted()

    def step_kill_in_the_middle(self):
        """While a request with a key is on its way, which is then repeated."""
        session, word = self.pick(), self.word()
        if session is None:
            return self.step_kill_server()
        body, told = {"command": f"echo {word} >> log; echo {word}"}, []

        def send():
            try:
                told.append(self.call("POST", f"/sessions/{session.id}/execute", body, Prefer="wait=30", Idempotency_Key=word))
            except BROKEN:
                pass
        client = threading.Thread(target=send)
        client.start()
        time.sleep(self.random.random() * 0.02)  # any moment will do
        self.server.kill()
        client.join()
        session.doubtful.add(word)
        self.restarted()
        status, again = self.call("POST", f"/sessions/{session.id}/execute", body, Prefer="wait=30", Idempotency_Key=word)
        self.expect(status in (200, 202) and (not told or told[0] == (status, again)), told, again)
        ended = self.call("GET", f"/executions/{again['execution_id']}")[1]
        if ended["state"] == "completed":
            session.doubtful.discard(word)
            session.log.append(word)
        else:
            self.expect(ended["error"]["code"] == "server_restarted", ended)
        self.keep(ended)
        return None

    def step_kill_everything(self):
        """The launcher, too: sandboxes need neither of them to live on."""
        self.server.kill()
        kill_all(launchers_of(self.leftovers.run))
        self.restarted()

    def step_stop(self):
        """A clean end takes the sandboxes along."""
        self.expect(self.server.stop() == 0)
        self.leftovers.check_stopped()
        for session in list(self.sessions.values()):
            self.gone(session, {"terminated"})
        for session in self.dying.values():
            session.states = {"failed", "terminated"}
        self.dying.clear()
        self.server.start()

    # ---- what must hold

    def step_check(self):
        self.check()

    def check(self, patient=False):
        for session in self.sessions.values():
            self.check_session(session)
        for session in list(self.dying.values()):
            def is_seen(name=session.id):
                return self.call("GET", f"/sessions/{name}")[1]["status"] == "failed"
            if patient:
                self.until(is_seen, "a dead guest is seen", session.id)
            if is_seen():
                del self.dying[session.id]
        ended = sorted(set(self.ended) - set(self.dying))
        for name in self.random.sample(ended, min(5, len(ended))):
            status = self.call("GET", f"/sessions/{name}")[1]["status"]
            self.expect(status in self.ended[name].states, name, status, self.ended[name].states)
        for execution in self.random.sample(sorted(self.results), min(10, len(self.results))):
            row = self.call("GET", f"/executions/{execution}")[1]
            found = (row["state"], row["stdout"], (row["error"] or {}).get("code"))
            self.expect(found == self.results[execution], execution, found, self.results[execution])
        listed = self.call("GET", "/sessions?limit=100&status=creating,ready,running,paused")[1]["sessions"]
        found = {one["id"] for one in listed}
        self.expect(set(self.sessions) <= found <= set(self.sessions) | set(self.dying), listed)

    def check_session(self, session):
        self.wait_until_made(session)
        found = self.call("GET", f"/sessions/{session.id}")[1]["status"]
        wanted = {"running"} if session.states == {"ready"} and session.running else session.states
        self.expect(found in wanted, session.id, found, wanted)
        if not session.usable:
            return
        listed = self.call("GET", f"/sessions/{session.id}/files?depth=3")[1]["files"]
        names = {one["path"] for one in listed} - {"log"}
        self.expect(names == set(session.files), names, set(session.files))
        status, text = self.call("GET", f"/sessions/{session.id}/files/log")
        words = collections.Counter(text.decode().split()) if status == 200 and text else collections.Counter()
        self.expect(set(session.log) <= set(words) <= set(session.log) | session.doubtful, session.log, words, session.doubtful)
        self.expect(all(count == 1 for count in words.values()), words)
