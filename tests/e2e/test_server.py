"""`atoll serve` from outside: sessions by HTTP, and that a killed server loses nothing that it had said."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time
import unittest
import urllib.error

from leftovers import guests_below, launcher_folders
from server import DEADLINE, Server
from support import ATOLL, IS_ROOT, atoll


class ServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.server = Server(folder.name + "/data", "--no-auth")
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.stop())

    # covers: atoll serve, C11
    def test_a_session_from_create_to_delete(self):
        session = self.server.session(labels={"purpose": "test"})
        ran = self.server.execute(session, code="print(6 * 7)")
        self.assertEqual((ran["state"], ran["exit_code"], ran["stdout"]), ("completed", 0, "42\n"))
        ran = self.server.execute(session, command="echo out; echo err >&2; exit 3")
        self.assertEqual((ran["state"], ran["exit_code"]), ("failed", 3))
        self.assertEqual((ran["stdout"], ran["stderr"]), ("out\n", "err\n"))
        ran = self.server.execute(session, command=["sleep", "60"], timeout=0.2)
        self.assertEqual((ran["state"], ran["timed_out"]), ("timed_out", True))
        status, found = self.server.call("GET", "/api/v1/sessions?label=purpose%3Dtest")
        self.assertEqual((status, [one["id"] for one in found["sessions"]]), (200, [session]))
        self.assertEqual(self.server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        self.assertEqual(self.server.call("GET", f"/api/v1/sessions/{session}")[1]["status"], "terminated")
        self.assertEqual(self.server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        self.assertEqual(self.server.execute(session, code="1")["code"], "conflict")

    def test_files_and_contexts(self):
        session = self.server.session()
        content = bytes(range(256)) * 1000
        files = f"/api/v1/sessions/{session}/files"
        self.assertIn(self.server.call("PUT", f"{files}/a/b.bin", content)[0], (200, 201, 204))
        self.assertEqual(self.server.call("GET", f"{files}/a/b.bin"), (200, content))
        ran = self.server.execute(session, code="import os; n = os.path.getsize('a/b.bin')\nn", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "256000")
        ran = self.server.execute(session, code="n + 1", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "256001")
        self.assertEqual(self.server.call("GET", f"{files}/..%2f..%2fetc%2fpasswd")[0], 400)

    # covers: pauseSession, resumeSession, C11
    def test_a_paused_session_stands_still(self):
        session = self.server.session()
        path = f"/api/v1/sessions/{session}"
        _, begun = self.server.call("POST", path + "/execute", {
            "command": "n=0; while :; do n=$((n + 1)); echo $n > next; mv next count; done", "timeout": 0})
        self.assertEqual(begun["state"], "running", begun)

        def count():
            return self.server.call("GET", path + "/files/count")[1]

        self.assertEqual(self.server.call("POST", path + "/pause")[0], 200)
        self.assertEqual(self.server.call("GET", path)[1]["status"], "paused")
        status, refused = self.server.call("POST", path + "/execute", {"command": "true"})
        self.assertEqual((status, refused["code"]), (409, "conflict"))
        self.assertEqual(self.server.call("POST", path + "/resume")[0], 200)
        first = count()
        deadline = time.monotonic() + DEADLINE
        while count() == first and time.monotonic() < deadline:
            continue
        self.assertNotEqual(count(), first)

    # covers: C26
    def test_bad_requests_are_told_what_is_wrong(self):
        for body, code, at in ((b"{", "invalid_argument", ""), ({"tempalte_id": "x"}, "invalid_argument", "/tempalte_id"),
                               ({"template_id": "no-such"}, "not_found", None)):
            status, problem = self.server.call("POST", "/api/v1/sessions", body)
            self.assertIn(status, (400, 404))
            self.assertEqual(problem["code"], code, problem)
            self.assertEqual(problem.get("at"), at, problem)
        self.assertEqual(self.server.call("GET", "/api/v1/sessions/nothing")[1]["code"], "session_not_found")
        session = self.server.session()
        self.assertEqual(self.server.execute(session, command="rm -rf /")["code"], "dangerous_command")

    def test_fifty_megabytes_of_code_are_refused_in_words(self):
        session = self.server.session()
        for _ in range(3):  # the server's patience has an end, which a busy machine may reach
            try:
                refused = self.server.execute(session, code="x" * 50_000_000)
                break
            except urllib.error.URLError as problem:
                refused = {"code": problem}
        self.assertEqual(refused["code"], "too_large")

    # covers: C60
    def test_the_storage_key_is_replaced(self):
        session = self.server.session(config={"environment": {"TOKEN": "hunter2-hunter2"}})
        status, made = self.server.call("POST", "/api/v1/templates", {
            "id": "sealed", "name": "sealed", "language": "bash", "env": {"OTHER": "hunter3-hunter3"}})
        self.assertEqual(status, 201, made)
        ran = self.server.execute(session, command="test -n $ONCE", env={"ONCE": "hunter4-hunter4"})
        self.assertEqual(ran["exit_code"], 0, ran)
        running = atoll("key", "rotate-storage", "--data", self.server.data)
        self.assertEqual(running.code, 125, running.err)
        self.server.kill()
        file = pathlib.Path(self.server.data, "storage.key")
        before = file.read_text()
        rotated = atoll("key", "rotate-storage", "--data", self.server.data)
        self.assertEqual(rotated.code, 0, rotated.err)
        self.assertNotEqual(file.read_text(), before)
        for path in pathlib.Path(self.server.data).glob("atoll.db*"):
            for secret in (b"hunter2-hunter2", b"hunter3-hunter3", b"hunter4-hunter4"):
                self.assertNotIn(secret, path.read_bytes())
        self.server.start()
        found = self.server.call("GET", f"/api/v1/sessions/{session}")[1]
        self.assertEqual(found["status"], "ready")
        self.assertEqual(self.server.execute(session, command="echo $TOKEN")["stdout"], "hunter2-hunter2\n")
        other = self.server.session(template_id="sealed")
        self.assertEqual(self.server.execute(other, command="echo $OTHER")["stdout"], "hunter3-hunter3\n")

    @unittest.skipUnless(IS_ROOT, "needs cgroups")
    def test_heaps_follow_the_memory_limit(self):
        session = self.server.session(config={"resources": {"memory": 128}, "environment": {"JAVA_TOOL_OPTIONS": "-Xmx9m"}})
        expected = "--max-old-space-size=48\n-Xmx9m\n"
        for again in (False, True):
            if again:
                self.server.kill()
                self.server.start()
            ran = self.server.execute(session, command="echo $NODE_OPTIONS; echo $JAVA_TOOL_OPTIONS")
            self.assertEqual(ran["stdout"], expected, again)
            usage = self.server.call("GET", f"/api/v1/sessions/{session}/usage")[1]
            self.assertEqual(usage["memory_limit_mb"], 128, again)
        other = self.server.session()
        ran = self.server.execute(other, command="echo $JAVA_TOOL_OPTIONS")
        self.assertEqual(ran["stdout"], "-XX:MaxRAM=512m -XX:MaxRAMPercentage=50\n")

    # covers: C61, getSessionNetwork, putSecret
    def test_secrets_and_policies_outlive_the_server(self):
        value = "hunter3-hunter3"
        self.assertEqual(self.server.call("PUT", "/api/v1/secrets/token", {"value": value})[0], 201)
        policy = {"rules": [{"action": "deny", "target": "a.test"}],
                  "headers": {"a.test": {"Authorization": {"secret": "token"}, "X-Key": value}}}
        session = self.server.session(config={"network": policy})
        self.server.kill()
        rotated = atoll("key", "rotate-storage", "--data", self.server.data)
        self.assertEqual(rotated.code, 0, rotated.err)
        for path in pathlib.Path(self.server.data).glob("atoll.db*"):
            self.assertNotIn(value.encode(), path.read_bytes())
        self.server.start()
        found = self.server.call("GET", f"/api/v1/sessions/{session}/network")[1]["policy"]
        self.assertEqual({name: found[name] for name in policy}, policy)
        self.assertEqual(self.server.call("GET", "/api/v1/secrets")[1]["secrets"][0]["name"], "token")
        self.assertEqual(self.server.call("DELETE", "/api/v1/secrets/token")[0], 409)

    # covers: C23, C24, C29
    def test_a_killed_server_is_continued(self):
        session = self.server.session()
        self.server.execute(session, code="x = 41", context="default")
        self.server.execute(session, command="echo kept > note; (sleep 1000 & echo $! > pid)")
        key = {"Idempotency-Key": "only-once"}
        first = self.server.call("POST", "/api/v1/sessions", {"labels": {"a": "b"}}, key)[1]
        status, running = self.server.call("POST", f"/api/v1/sessions/{session}/execute",
                                           {"command": "echo begun; sleep 1000"})
        self.assertEqual(status, 202)
        execution = "/api/v1/executions/" + running["execution_id"]
        deadline = time.monotonic() + DEADLINE
        while self.server.call("GET", execution)[1]["stdout"] != "begun\n":
            self.assertLess(time.monotonic(), deadline)
        self.server.kill()
        self.server.start()
        self.assertEqual(self.server.call("GET", f"/api/v1/sessions/{session}")[1]["status"], "ready")
        ended = self.server.call("GET", execution)[1]
        self.assertEqual((ended["state"], ended["error"]["code"]), ("failed", "server_restarted"))
        self.assertEqual(ended["stdout"], "begun\n")
        ran = self.server.execute(session, code="x + 1", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "42")
        ran = self.server.execute(session, command="cat note; kill -0 $(cat pid) && echo lives")
        self.assertEqual(ran["stdout"], "kept\nlives\n")
        again = self.server.call("POST", "/api/v1/sessions", {"labels": {"a": "b"}}, key)[1]
        self.assertEqual(again["id"], first["id"])
        inside = self.server.call("GET", f"/api/v1/sessions/{session}/processes")[1]
        self.assertNotIn("echo begun", json.dumps(inside))

    # covers: atoll serve, C9
    def test_a_clean_end_leaves_nothing(self):
        self.server.session()
        launchers = launcher_folders(self.server.process.pid)
        self.assertEqual(len(launchers), 1)
        self.assertTrue(guests_below(launchers))
        self.assertEqual(self.server.stop(), 0)
        deadline = time.monotonic() + DEADLINE
        while guests_below(launchers):
            self.assertLess(time.monotonic(), deadline)

    def test_sessions_are_not_bounded_by_the_usual_number_of_descriptors(self):
        self.server.stop()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        try:
            self.server.start()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        for _ in range(30):  # some ten descriptors each
            self.server.session(template_id="shell-default")

    # covers: atoll serve
    def test_the_first_server_after_a_boot(self):
        """The folder of the run folders is gone then, and nothing but the server makes it."""
        folder = os.path.dirname(self.server.data) + "/run"
        with Server(self.server.data + "2", "--no-auth", "--set", f"sandbox.backends.native.runDir={folder}") as server:
            self.assertEqual(server.execute(server.session(), command="echo 1").get("stdout"), "1\n")

    # covers: atoll serve
    def test_a_second_server_on_the_same_folder_is_refused(self):
        second = subprocess.run([ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", self.server.data, "--no-auth"],
                                capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(second.returncode, 125)
        self.assertIn(str(self.server.process.pid), second.stderr)

    @unittest.skipUnless(IS_ROOT, "what only root's start could write to")
    def test_a_start_as_root_writes_nothing_in_the_servers_folder(self):
        """Whoever has taken over a server can put names of other files there, where hard links are not protected."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            with Server(folder + "/data", "--no-auth", "--set", "pool.size=0") as server:
                data = server.data
            secret = pathlib.Path(folder, "of-root")
            secret.write_text("of root\n")
            secret.chmod(0o600)
            os.unlink(data + "/lock")
            os.link(secret, data + "/lock")
            started = subprocess.run([ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", data, "--no-auth"],
                                     capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(started.returncode, 125, started)  # it may not open its own lock
            self.assertEqual(secret.read_text(), "of root\n")

    @unittest.skipUnless(IS_ROOT, "a start as root")
    def test_a_start_as_root_obeys_no_file_of_the_server(self):
        """Whoever has taken over a server writes a configuration for its next start, which root would obey."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            with Server(folder + "/data", "--no-auth", "--set", "pool.size=0") as server:
                data = server.data
            prey = pathlib.Path(folder, "of-root")
            prey.mkdir(0o700)
            config = pathlib.Path(data, "config.json")
            config.write_text(json.dumps({"sandbox": {"backends": {"native": {"runDir": f"{prey}/made"}}}}))
            uid = os.stat(data).st_uid
            self.assertNotEqual(uid, 0)
            os.chown(config, uid, uid)
            words = [ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", data, "--no-auth"]
            refused = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(refused.returncode, 125, refused)
            self.assertIn(str(config), refused.stderr)
            self.assertEqual(list(prey.iterdir()), [])
            os.chown(config, 0, 0)  # the operator's own
            with Server(data, "--no-auth", "--set", "pool.size=0"):
                self.assertTrue((prey / "made").exists())


class KeyTest(unittest.TestCase):
    # covers: atoll key, C33
    def test_keys_open_the_door(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            server = Server(folder + "/data")
            try:
                self.assertEqual(server.call("GET", "/api/v1/health")[0], 200)
                self.assertEqual(server.call("GET", "/api/v1/sessions")[0], 401)
                made = subprocess.run([ATOLL, "key", "create", "--data", server.data, "-o", "json"],
                                      capture_output=True, text=True, timeout=DEADLINE)
                self.assertEqual(made.returncode, 0, made.stderr)
                key = json.loads(made.stdout)
                self.assertEqual(key["role"], "owner")  # the first
                for name, value in (("Authorization", "Bearer " + key["secret"]), ("X-API-Key", key["secret"]),
                                    ("OPEN-SANDBOX-API-KEY", key["secret"])):
                    deadline = time.monotonic() + DEADLINE
                    while server.call("GET", "/api/v1/sessions", headers={name: value})[0] != 200:
                        self.assertLess(time.monotonic(), deadline, name)
                subprocess.run([ATOLL, "key", "revoke", key["id"], "--data", server.data], check=True, timeout=DEADLINE)
                deadline = time.monotonic() + DEADLINE
                while server.call("GET", "/api/v1/sessions", headers={"X-API-Key": key["secret"]})[0] != 401:
                    self.assertLess(time.monotonic(), deadline)
            finally:
                server.stop()

    def test_only_a_new_key_makes_a_data_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["ls"], ["revoke", "x"]):
                done = subprocess.run([ATOLL, "key", *words, "--data", folder + "/typo"], capture_output=True, text=True,
                                      timeout=DEADLINE)
                self.assertEqual((done.returncode, os.listdir(folder)), (125, []), done.stderr)
                self.assertIn("not_found", done.stderr)


if __name__ == "__main__":
    unittest.main()
