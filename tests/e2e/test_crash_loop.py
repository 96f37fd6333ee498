"""It must always start again: the server, its launcher or both are killed every second or so while clients work, and
the disk of the database is full for a while. Every start opens its port, nothing acknowledged is lost or doubled, and
nothing is left at the end. Launchers do not pile up.

CRASH_KILLS is the number of kills for each database (50 on SQLite and 25 on PostgreSQL unless it is set), CRASH_SEED a
number for another order of them; CRASH_SESSIONS is the number of sessions of the largest start, CRASH_ODD_SESSIONS that
of the kills in odd orders.
"""
import contextlib
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from crash_clients import PATIENCE, Client, call
from leftovers import is_alone, kill_all, launchers_of, names, pid_of, processes, run_folder_of
from postgres import Postgres
from server import DEADLINE, Server, until
from support import IS_ROOT

KILLS = int(os.environ.get("CRASH_KILLS", "0"))
SEED = os.environ.get("CRASH_SEED", "")
SESSIONS = int(os.environ.get("CRASH_SESSIONS", "800"))
ODD_SESSIONS = int(os.environ.get("CRASH_ODD_SESSIONS", "40"))
CLIENTS = 4
REST = (0.05, 0.7)  # seconds between two kills, at least and at most: some come while sessions are still being found
MOST_LAUNCHERS = 2  # one that ends with its dead server, and the next
FULL = ("io", "no_available_runtime", "resource_exhausted")  # codes of a store that cannot be written to
NO_POOL = ("--set", "pool.size=0")


class Loop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder = pathlib.Path(folder.name)
        self.data, self.socket = self.folder / "data", str(self.folder / "data" / "socket")
        self.run_folder = run_folder_of(self.data)
        self.random = random.Random(str(self.id()) + SEED)
        self.guests, self.opened = set(), []
        self.server = None
        self.options = ("--no-auth", "--set", f"server.unix_socket={self.socket}")
        self.prepare()

    def prepare(self):
        pass

    def start(self, *options, is_full=False):
        began = time.monotonic()
        if self.server is None:
            self.server = Server(str(self.data), *self.options, *options)
            self.addCleanup(lambda: self.server.process.poll() is None and self.server.stop())
        else:
            self.server.start()
        self.opened.append(time.monotonic() - began)
        self.assertIn(self.call("GET", "/ready")[0], (200, 503) if is_full else (200,))
        self.assertEqual(self.call("GET", "/health")[0], 200)

    def call(self, method, path, body=None, **more):
        return call(self.socket, method, path, body, **more)

    def launchers(self):
        found = launchers_of(self.run_folder)
        return [pid for pid, parent in found.items() if parent not in found and is_alone(pid)]

    def remember_guests(self):
        for name in names(self.run_folder / "boxes"):
            self.guests.add(pid_of(self.run_folder / "boxes" / name))

    def kill(self, whom):
        self.remember_guests()
        if whom != "server":
            kill_all(self.launchers())
        if whom != "launcher":
            self.server.kill()
            return
        # It ends by itself, so that its supervisor starts it again, and leaves the sandboxes alone.
        self.assertEqual(self.server.process.wait(DEADLINE), 1)
        self.server.process.stdout.close()

    def recovered(self):
        status, answer = self.call("GET", "/ready")
        return status == 200 and answer["recovering"] == 0

    def check_end(self):
        """Nothing of this server is left: no process, socket, record, token or journal."""
        self.remember_guests()
        self.assertEqual(self.server.stop(), 0)

        def nothing():
            found = processes()
            left = {"launchers": self.launchers(), "run folder": sorted(names(self.run_folder)),
                    "guests": [pid for pid in self.guests if found.get(pid, ([b""],))[0][0] == b"atoll-guest"],
                    "tokens": sorted(names(self.data / "sandboxes")), "journals": sorted(names(self.data / "journals"))}
            self.left = {kind: some for kind, some in left.items() if some}
            return not self.left
        try:
            until(nothing, "nothing is left")
        except AssertionError:
            self.fail(self.left)


class LauncherCount:
    """Looks again and again which launchers of a run folder live; `most` is the largest number seen at once."""

    def __init__(self, launchers):
        self.launchers, self.most, self.looks = launchers, 0, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look, name="launchers")
        self.thread.start()

    def look(self):
        while not self.over.wait(0.02):
            seen = self.launchers()
            if len(seen) > self.most:  # the list is not of one moment: count those that still live at its end
                self.most = max(self.most, len(set(seen) & set(self.launchers())))
            self.looks += 1

    def end(self):
        self.over.set()
        self.thread.join()


class Clients(Loop):
    kills = KILLS or 50

    def work(self):
        full_from, full_until = self.kills // 3, self.kills // 2  # kills
        self.start(*NO_POOL)
        over = threading.Event()
        count = LauncherCount(self.launchers)
        clients = [Client(self.socket, over) for _ in range(CLIENTS)]
        try:
            for number in range(self.kills):
                time.sleep(self.random.uniform(*REST))
                if number == full_from:
                    self.fill()
                if number == full_until:
                    self.empty()
                self.kill(self.random.choice(("server", "launcher", "both")))
                self.start_again(is_full=full_from <= number < full_until)
            until(self.recovered, "all sessions are found again")
        finally:
            self.empty()
            over.set()
            count.end()
            for client in clients:
                client.thread.join()
        for client in clients:
            if client.failure:
                raise client.failure
        for client in clients:
            self.check(client)
        self.check_launchers(count)
        print(f"{self.kills} kills, {sum(len(one.keys) for one in clients)} sessions, "
              f"{sum(len(one.results) for one in clients)} results, port open after at most {max(self.opened):.2f} s, "
              f"at most {count.most} launchers in {count.looks} looks")
        self.check_end()

    def check_launchers(self, count):
        self.assertIn(count.most, range(1, MOST_LAUNCHERS + 1), f"{count.looks} looks")
        until(lambda: len(self.launchers()) == 1, "one launcher serves the last server")

    def start_again(self, is_full):
        """A server that cannot even open its store says so and ends; its supervisor starts it again."""
        if is_full:
            try:
                return self.start(is_full=True)
            except AssertionError:
                self.assertEqual(self.server.process.poll(), 125)
                self.empty()
        return self.start()

    def check(self, client):
        listed = {}
        page = f"/sessions?label=client%3D{client.name}&limit=100"
        after = ""
        while True:
            rows = self.call("GET", page + after)[1]
            for row in rows["sessions"]:
                listed.setdefault(row["labels"]["key"], []).append(row)
            if not rows.get("next_cursor"):
                break
            after = f"&cursor={rows['next_cursor']}"
        for key, rows in listed.items():
            self.assertEqual(len(rows), 1, (key, rows))
        for session, key in client.deleted.items():
            (row,) = listed[key]
            self.assertEqual(row["id"], session)
            # A sandbox is ended before the store is told: what a kill splits is found gone at the next start.
            self.check_end_of(row, "terminated", ("backend_error",) if session in client.interrupted else ())
        for execution, told in client.results.items():
            self.assertEqual(self.call("GET", f"/executions/{execution}"), (200, told))
        for session, key in client.kept.items():
            self.check_kept(session, key, listed, client)

    def check_end_of(self, row, wanted, also=()):
        """Or it failed because it could not be written to a disk that was full, and says so."""
        if row["status"] == "failed":
            self.assertIn(row["error"]["code"], (*FULL, *also), row)
        else:
            self.assertEqual(row["status"], wanted, row)

    def check_kept(self, session, key, listed, client):
        row = until(lambda: (one := self.call("GET", f"/sessions/{session}")[1])["status"] != "creating" and one, "made")
        self.check_end_of(row, "ready")
        if row["status"] == "failed":
            return
        done = sum(told["state"] == "completed" for told in client.results.values() if told["session_id"] == session)
        ran = self.call("POST", f"/sessions/{session}/execute", {"command": "cat log"}, Prefer="wait=30")[1]
        self.assertIn(ran["stdout"].split(), ([key],) if done else ([], [key]), ran)
        self.assertEqual(self.call("DELETE", f"/sessions/{session}")[0], 204)


@unittest.skipUnless(IS_ROOT, "a disk of its own needs root")
class OnSqlite(Clients):
    def mount(self, folder, size):
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        self.ballast = folder / "ballast"

    def prepare(self):
        self.mount(self.data, "64m")

    def fill(self):
        with open(self.ballast, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))

    def empty(self):
        self.ballast.unlink(missing_ok=True)

    # covers: C46
    def test_killed_again_and_again(self):
        self.work()


@unittest.skipUnless(IS_ROOT, "a disk of its own needs root")
class OnPostgres(OnSqlite):
    kills = KILLS or 25

    def prepare(self):
        self.mount(self.folder / "disk", "256m")
        self.postgres = Postgres(self.folder / "disk" / "pg", "-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB")
        self.addCleanup(self.postgres.stop)
        self.options += ("--set", f"store.url=postgres://atoll@/atoll?host={self.folder}/disk/pg")

    def empty(self):
        super().empty()
        if self.postgres.process.poll() is not None:
            self.postgres.start()


class OneKill(Loop):
    def session(self):
        status, session = self.call("POST", "/sessions", {"template_id": "shell-default"}, Prefer="wait")
        self.assertEqual(status, 201, session)
        return session["id"]

    def output(self, session, command):
        return self.call("POST", f"/sessions/{session}/execute", {"command": command}, Prefer="wait=30")[1].get("stdout")

    def guest_of(self, session):
        """The one whose record is new."""
        before = set(names(self.run_folder / "boxes"))
        made = session()
        (name,) = set(names(self.run_folder / "boxes")) - before
        return made, pid_of(self.run_folder / "boxes" / name)

    # covers: C48, C24
    def test_the_server_ends_when_its_launcher_does(self):
        """With status 1, so that it is started again; what ran has failed, and the sessions go on."""
        self.start(*NO_POOL)
        session = self.session()
        self.assertEqual(self.output(session, "echo kept > note; echo 1"), "1\n")
        started = self.call("POST", f"/sessions/{session}/execute", {"command": "echo begun; sleep 1000"})[1]
        path = f"/executions/{started['execution_id']}"
        until(lambda: self.call("GET", path)[1]["stdout"], "it prints")
        self.kill("launcher")
        self.start()
        ended = self.call("GET", path)[1]
        self.assertEqual((ended["state"], ended["error"]["code"], ended["stdout"]),
                         ("failed", "server_restarted", "begun\n"))
        self.assertEqual(self.output(session, "cat note"), "kept\n")
        self.check_end()

    # covers: C63
    def test_a_launcher_that_hangs(self):
        """Creates are answered all the same, and when it goes on so does the pool. What it makes late is nobody's."""
        self.start("--set", "pool.size=1")
        until(lambda: len(names(self.run_folder / "boxes")) >= 3, "the pool fills")
        (launcher,) = self.launchers()
        os.kill(launcher, signal.SIGSTOP)
        self.addCleanup(self.go_on, launcher)

        def create(_):
            body = {"template_id": "shell-default"}
            return self.call("POST", "/sessions", body, patience=PATIENCE, Prefer="wait=200")

        with ThreadPoolExecutor(3) as clients:
            answers = list(clients.map(create, range(3)))
        made = [answer["id"] for status, answer in answers if status == 201]
        self.assertLessEqual(len(made), 1, answers)  # that one waited in the pool
        refused = [(status, answer["code"]) for status, answer in answers if status != 201]
        self.assertEqual(refused, [(503, "no_available_runtime")] * (3 - len(made)), answers)
        for session in made:
            self.assertEqual(self.output(session, "echo 1"), "1\n")  # needs no launcher
        self.go_on(launcher)
        self.assertEqual(create(0)[0], 201)
        until(lambda: self.call("GET", "/ready")[0] == 200, "it is ready")
        for session in self.call("GET", "/sessions?limit=100")[1]["sessions"]:
            self.call("DELETE", f"/sessions/{session['id']}")
        until(lambda: len(names(self.run_folder / "boxes")) == 3, "the pool is full and nothing else is left")
        self.check_end()

    # covers: C9
    def test_a_clean_end_right_after_the_start(self):
        """What waited in the pool of the killed server is nobody's: the next one ends it, however short it lives."""
        self.start("--set", "pool.size=5")
        until(lambda: len(names(self.run_folder / "boxes")) >= 15, "the pool fills")
        self.kill("server")
        self.server.start()
        self.check_end()

    # covers: C47
    def test_a_guest_that_does_not_answer(self):
        """It delays nobody: requests to its session wait for it, and it is given up at last, with the reason."""
        self.start(*NO_POOL)
        sound = self.session()
        slow, slow_guest = self.guest_of(self.session)
        lost, lost_guest = self.guest_of(self.session)
        for pid in (slow_guest, lost_guest):
            os.kill(pid, signal.SIGSTOP)
            self.addCleanup(self.go_on, pid)
        self.kill("server")
        self.start()
        self.assertEqual(self.output(sound, "echo 1"), "1\n")
        self.assertEqual(self.call("GET", "/ready")[1]["recovering"], 2)
        self.assertEqual(self.call("GET", f"/sessions/{slow}")[1]["status"], "ready")
        with ThreadPoolExecutor(1) as clients:
            waits = clients.submit(self.output, slow, "echo 2")
            self.go_on(slow_guest)
            self.assertEqual(waits.result(), "2\n")
        until(self.recovered, "it is given up")
        row = self.call("GET", f"/sessions/{lost}")[1]
        self.assertEqual((row["status"], row["error"]["code"]), ("failed", "backend_error"), row)
        self.check_end()

    # covers: C47
    def test_an_engine_that_does_not_answer(self):
        """Its sessions are looked for in the background as well, and a server that is stopped meanwhile ends."""
        self.start(*NO_POOL)
        session = self.session()
        self.assertEqual(self.call("DELETE", f"/sessions/{session}")[0], 204)
        self.assertEqual(self.server.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.data / "atoll.db")) as database, database:
            database.execute("UPDATE sessions SET state = 'creating', ended_at = NULL, backend = 'docker'")
        with socket.socket(socket.AF_UNIX) as engine:
            engine.bind(str(self.folder / "engine"))
            os.chmod(self.folder / "engine", 0o666)
            engine.listen(64)  # and never an answer
            self.server.options += ("--backend", "docker")
            self.server.start(DOCKER_HOST=f"unix://{self.folder}/engine")
            self.assertEqual(self.call("GET", "/ready"), (200, {"status": "ready", "recovering": 1}))
            self.assertEqual(self.call("GET", f"/sessions/{session}")[1]["status"], "creating")
            self.assertEqual(self.server.stop(), 0)

    @staticmethod
    def go_on(pid):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


class ManySessions(Loop):
    def make(self, count):
        with ThreadPoolExecutor(8) as clients:
            body = {"template_id": "shell-default", "config": {"timeout_seconds": 600}}
            made = list(clients.map(lambda _: self.call("POST", "/sessions", body, Prefer="wait"), range(count)))
        self.assertEqual({status for status, _ in made}, {201})
        return made

    # covers: C46
    def test_kills_in_odd_orders(self):
        self.start(*NO_POOL)
        made = self.make(ODD_SESSIONS)
        count = LauncherCount(self.launchers)
        try:
            for _ in range(3):
                self.kill("server")
                self.server.launch()  # and killed again before it has opened its port
                time.sleep(self.random.uniform(0.0, 0.1))
                self.server.kill()
                before = set(self.launchers())
                self.server.launch()
                self.kill_new_launcher(before)
                self.start()  # and killed while it finds its sessions again
                self.kill("both")
                self.start()
                self.kill("server")
                self.start()
                self.kill("launcher")
                self.start()
        finally:
            count.end()
        until(self.recovered, "all are found again")
        print(f"{ODD_SESSIONS} sessions: port open after at most {max(self.opened):.2f} s, at most {count.most} launchers")
        self.assertLessEqual(count.most, MOST_LAUNCHERS + 1)  # two servers were killed within 100 ms
        until(lambda: len(self.launchers()) == 1, "one launcher serves the last server")
        self.check_ready(made)
        ran = self.call("POST", f"/sessions/{made[-1][1]['id']}/execute", {"command": "echo 1"}, Prefer="wait=30")[1]
        self.assertEqual(ran["stdout"], "1\n", ran)
        self.check_end()

    def kill_new_launcher(self, before):
        """Of a server that starts: it ends and says so, with its port open or not."""
        new = until(lambda: set(self.launchers()) - before or self.server.process.poll() is not None, "a launcher starts")
        kill_all(new if isinstance(new, set) else ())
        self.assertIn(self.server.process.wait(DEADLINE), (1, 125))
        self.server.process.stdout.close()

    def check_ready(self, made):
        rows, after = [], ""
        while True:
            answer = self.call("GET", "/sessions?status=ready&limit=100" + after)[1]
            rows += answer["sessions"]
            if not answer.get("next_cursor"):
                break
            after = f"&cursor={answer['next_cursor']}"
        self.assertEqual({row["id"] for row in rows}, {one["id"] for _, one in made})

    # covers: C47
    def test_one_kill_of_many(self):
        self.start(*NO_POOL)
        made = self.make(SESSIONS)
        self.kill("server")
        self.start()
        began = time.monotonic()
        # Those that are not found yet are waited for.
        with ThreadPoolExecutor(8) as clients:
            ran = list(clients.map(lambda one: self.call("POST", f"/sessions/{one[1]['id']}/execute",
                                                         {"command": "echo 1"}, Prefer="wait=30")[1]["stdout"],
                                   random.sample(made, min(50, SESSIONS))))
        self.assertEqual(set(ran), {"1\n"})
        until(self.recovered, "all are found again")
        print(f"{SESSIONS} sessions: port open after {self.opened[-1]:.2f} s, "
              f"all found again {time.monotonic() - began:.2f} s later")
        self.check_ready(made)
        self.check_end()


if __name__ == "__main__":
    unittest.main()
