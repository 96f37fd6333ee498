"""Bad times for a server: it says so clearly, loses nothing, stays up, and goes on when they are over."""
import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse

from leftovers import Leftovers, kill_all, launchers_of, processes
from postgres import Postgres
from server import DEADLINE, Server, until
from support import ATOLL, IS_ROOT

API = "/api/v1"


class Adversity(unittest.TestCase):
    options = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder = pathlib.Path(folder.name)
        self.prepare()
        self.server = Server(f"{self.folder}/data", "--no-auth", *self.options)
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.stop())

    def prepare(self):
        pass

    def call(self, method, path, body=None, **headers):
        return self.server.call(method, API + path, body, headers)

    def send_and_forget(self, path, body):
        """To a server that may die of it."""
        try:
            self.call("POST", path, body)
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
            pass

    def expect_refused(self, answer):
        """An error of the server's, with its code; not a hang, and not a lie."""
        status, problem = answer
        self.assertIn(status, (429, 500, 503), problem)
        self.assertIn("code", problem)


class ManyAtOnce(Adversity):
    def test_deletes_at_once(self):
        session = self.server.session(template_id="shell-default")
        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            answers = list(clients.map(lambda _: self.call("DELETE", f"/sessions/{session}")[0], range(8)))
        self.assertEqual(answers, [204] * 8)
        self.assertEqual(self.call("GET", f"/sessions/{session}")[1]["status"], "terminated")

    def test_a_pause_does_not_outlive_a_delete(self):
        for _ in range(5):
            session = self.server.session(template_id="shell-default")
            with concurrent.futures.ThreadPoolExecutor(2) as clients:
                paused = clients.submit(self.call, "POST", f"/sessions/{session}/pause")
                deleted = clients.submit(self.call, "DELETE", f"/sessions/{session}")
                self.assertEqual(deleted.result()[0], 204)
                self.assertIn(paused.result()[0], (200, 409))
            self.assertEqual(self.call("GET", f"/sessions/{session}")[1]["status"], "terminated")

    def test_one_idempotency_key_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(6) as clients:
            answers = list(clients.map(
                lambda _: self.call("POST", "/sessions", {"labels": {"a": "b"}}, **{"Idempotency-Key": "one"}), range(6)))
        self.assertLessEqual({status for status, _ in answers}, {202, 409}, answers)
        self.assertEqual(len({body["id"] for status, body in answers if status == 202}), 1, answers)
        self.assertEqual(len(self.call("GET", "/sessions?label=a%3Db")[1]["sessions"]), 1)

    def test_a_cancel_of_one_that_waits_hits_no_other(self):
        session = self.server.session()
        context = self.call("POST", f"/sessions/{session}/contexts", {"language": "python"})[1]["id"]

        def send(code):
            return self.call("POST", f"/sessions/{session}/execute", {"code": code, "context": context})[1]["execution_id"]

        def ended(one):
            answer = self.call("GET", f"/executions/{one}")[1]
            return answer if answer["ended_at"] else None

        first = send("import time, os\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('first')")
        second = send("print('second')")
        third = send("print('third')")
        self.assertEqual(self.call("DELETE", f"/executions/{second}")[0], 204)
        self.assertEqual(ended(second)["state"], "cancelled")
        self.assertIsNone(ended(first))
        self.assertEqual(self.call("PUT", f"/sessions/{session}/files/go", b"")[0] // 100, 2)
        for one, state, text in ((first, "completed", "first\n"), (second, "cancelled", ""), (third, "completed", "third\n")):
            answer = until(lambda name=one: ended(name), "it ends")
            self.assertEqual((answer["state"], answer["stdout"]), (state, text))

    def test_a_second_server_leaves_nothing(self):
        """On the same folder, or on the same port: the first one goes on, and the second is gone without a trace."""
        session = self.server.session()
        run = Leftovers(self.server.data).run
        address = urllib.parse.urlparse(self.server.base).netloc
        other = f"{self.folder}/other"
        for listen, data, run_folder, left in (("127.0.0.1:0", self.server.data, run, 1),
                                               (address, other, Leftovers(other).run, 0)):
            second = subprocess.run([ATOLL, "serve", "--listen", listen, "--data", data, "--no-auth"],
                                    capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(second.returncode, 125, second.stderr)
            self.assertTrue(str(self.server.process.pid) in second.stderr or address in second.stderr, second.stderr)
            until(lambda folder=run_folder, wanted=left: len(launchers_of(folder)) == wanted, "its launcher is gone")
        self.assertEqual(self.server.execute(session, code="print(1)")["stdout"], "1\n")

    @unittest.skipUnless(IS_ROOT, "zygotes need root")
    def test_a_zygote_that_dies_is_replaced_by_another_uid(self):
        """Sandboxes of the one that died live on, and its uid is their owner."""
        modules = ["colorsys", "chunk", "bisect"]  # a list that nobody else has
        template = {"id": "preloaded", "image": "host", "language": "python", "preload": modules, "pool": 0}
        self.assertEqual(self.call("POST", "/templates", template)[0], 201)

        def zygotes():
            """Process id and uid; the copies that wait to become somebody's interpreter look like it, and come later."""
            for pid, (words, _) in processes().items():
                if b"zygote" in words and " ".join(modules).encode() in b" ".join(words):
                    with contextlib.suppress(FileNotFoundError):  # gone meanwhile
                        yield pid, os.stat(f"/proc/{pid}").st_uid

        def find():
            for found in zygotes():
                return found
            session = self.server.session(template_id="preloaded")  # which finds none, and leaves one
            self.assertEqual(self.call("DELETE", f"/sessions/{session}")[0], 204)
            return None

        pid, uid = until(find, "a zygote")
        os.kill(pid, signal.SIGKILL)
        until(lambda: not list(zygotes()), "its end, and that of its copies")
        self.assertNotEqual(until(find, "another one")[1], uid)


class NoPool(Adversity):
    options = ("--set", "pool.size=0")

    def test_a_renewal_holds_also_while_it_is_made(self):
        for _ in range(10):
            session = self.call("POST", "/sessions", {"template_id": "shell-default"})[1]["id"]
            renewed = self.call("POST", f"/sessions/{session}/renew", {"seconds": 1000})[1]
            until(lambda one=session: self.call("GET", f"/sessions/{one}")[1]["status"] == "ready", "it is ready")
            self.assertEqual(self.call("GET", f"/sessions/{session}")[1]["expires_at"], renewed["expires_at"])

    def test_a_launcher_killed_at_work_leaves_nothing(self):
        """At any moment of a create: what it had begun is ended or found again, by whoever comes next."""
        run = Leftovers(self.server.data).run
        for number in range(20):
            with concurrent.futures.ThreadPoolExecutor(2) as clients:
                sent = [clients.submit(self.send_and_forget, "/sessions", {"template_id": "shell-default"})
                        for _ in range(4)]
                time.sleep(number % 10 / 1000)  # any moment will do
                kill_all(launchers_of(run))
                self.server.kill()
                concurrent.futures.wait(sent)
            self.server.start()
            Leftovers(self.server.data).check()
        self.assertEqual(self.server.stop(), 0)
        Leftovers(self.server.data).check_stopped()


@unittest.skipUnless(IS_ROOT, "a disk of its own needs root")
class FullDisk(Adversity):
    def prepare(self):
        data = self.folder / "data"
        data.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", data], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", data], check=True)

    def test_it_fills_up_and_is_emptied(self):
        session = self.server.session(template_id="shell-default")
        kept = self.server.execute(session, command="echo kept | tee note")
        ballast = self.folder / "data" / "ballast"
        with open(ballast, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))
        until(lambda: self.call("POST", "/sessions", {"template_id": "shell-default"})[0] not in (201, 202), "it is full")
        self.expect_refused(self.call("POST", "/sessions", {"template_id": "shell-default"}))
        self.assertEqual(self.call("GET", f"/sessions/{session}")[1]["status"], "ready")
        self.assertEqual(self.call("GET", f"/sessions/{session}/files/note"), (200, b"kept\n"))
        ballast.unlink()
        until(lambda: self.call("GET", "/ready")[0] == 200, "it is ready again")
        self.assertEqual(self.server.execute(session, command="cat note")["stdout"], "kept\n")
        self.server.kill()
        self.server.start()
        self.assertEqual(self.call("GET", f"/executions/{kept['execution_id']}")[1], kept)
        self.assertEqual(self.server.execute(session, command="cat note")["stdout"], "kept\n")
        self.assertEqual(self.call("DELETE", f"/sessions/{session}")[0], 204)


class StoreGone(Adversity):
    def prepare(self):
        self.postgres = Postgres(self.folder / "pg")
        self.addCleanup(self.postgres.stop)
        self.options = ("--set", f"store.url=postgres://atoll@/atoll?host={self.folder}/pg")

    def test_it_goes_away_and_comes_back(self):
        kept, dropped = (self.server.session(template_id="shell-default") for _ in range(2))
        result = self.server.execute(kept, command="echo kept | tee note")
        started = self.call("POST", f"/sessions/{kept}/execute", {"command": "echo begun; until [ -e go ]; do sleep 0.01; done"})
        execution = f"/executions/{started[1]['execution_id']}"
        self.postgres.stop()
        self.expect_refused(self.call("POST", "/sessions", {"template_id": "shell-default"}))
        self.expect_refused(self.call("GET", f"/executions/{result['execution_id']}"))
        self.assertEqual(self.call("GET", "/ready")[0], 503)
        # What needs no store works; what ends now is written later.
        self.assertEqual(self.call("GET", f"/sessions/{kept}/files/note"), (200, b"kept\n"))
        self.assertEqual(self.call("PUT", f"/sessions/{kept}/files/go", b"1")[0], 201)
        self.expect_refused(self.call("DELETE", f"/sessions/{dropped}"))
        self.assertEqual(self.call("GET", f"/sessions/{dropped}")[1]["status"], "terminated")
        self.postgres.start()
        until(lambda: self.call("GET", "/ready")[0] == 200, "it is ready again")
        ended = until(lambda: (row := self.call("GET", execution)[1]).get("state") == "completed" and row, "it is written")
        self.assertEqual(ended["stdout"], "begun\n")
        self.assertEqual(self.call("GET", f"/executions/{result['execution_id']}"), (200, result))
        until(lambda: self.call("DELETE", f"/sessions/{dropped}")[0] == 204, "its end is written")
        self.server.kill()
        self.server.start()
        states = [self.call("GET", f"/sessions/{one}")[1]["status"] for one in (kept, dropped)]
        self.assertEqual(states, ["ready", "terminated"])
        self.assertEqual(self.call("GET", execution)[1], ended)
        unfinished = self.call("GET", "/sessions?status=creating,ready,running,paused")[1]["sessions"]
        self.assertEqual([one["id"] for one in unfinished], [kept])


if __name__ == "__main__":
    unittest.main()
