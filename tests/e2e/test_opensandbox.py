"""`atoll serve` with sandboxes behind a real OpenSandbox server, from creating a session to finding it again."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from server import DEADLINE, Server, check_workspace
from support import ATOLL

SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "support"
sys.path[:0] = [str(SUPPORT), str(SUPPORT / "opensandbox_execd")]
import interface  # noqa: E402
from with_dockerd import IMAGE  # noqa: E402
from with_opensandbox import KEY, OpenSandbox, environment  # noqa: E402

SDK = SUPPORT / "opensandbox_sdk.py"


class OpenSandboxBackend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="atoll-e2e-")))
        cls.folder.chmod(0o755)
        cls.tos = cls.folder / "tos"
        cls.tos.mkdir()
        cls.remote = cls.enterClassContext(OpenSandbox(cls.tos))

    def serve(self, name, tos="", pool=None, **changes):
        settings = {"mode": "local", "entrypoint": ["sleep", "infinity"],
                    "local": {"serverUrl": self.remote.url, "apiKey": KEY, "defaultImage": IMAGE, "tosPath": str(tos)},
                    **changes}
        config = self.folder / f"{name}.json"
        config.write_text(json.dumps({
            "sandbox": {"enabled": True, "backend": "opensandbox", "mode": "per-session", "opensandbox": settings},
            "pool": pool or {"size": 0}}))
        return Server(str(self.folder / name), "--config", str(config), "--no-auth")

    def until(self, condition):
        deadline = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_a_session_from_birth_to_death(self):
        with self.serve("life", tos=self.tos) as server:
            session = server.session()
            self.assertEqual(len(self.remote.sandboxes()), 1)
            self.assertEqual(server.execute(session, code="print(6 * 7)")["stdout"], "42\n")
            self.assertEqual(server.text(session, command="echo out; echo err >&2; exit 3"),
                             "out\n\nSTDERR:\nerr\n\n\nExit code: 3")
            ran = server.execute(session, command="echo out; echo err >&2; exit 3")
            self.assertEqual((ran["stdout"], ran["stderr"], ran["exit_code"]), ("out\n", "err\n", 3))
            self.assertEqual(server.execute(session, command=["cat"], stdin="given")["stdout"], "given")
            late = server.execute(session, command="sleep 1000", timeout=1)
            self.assertEqual(late["state"], "timed_out")
            base = f"/api/v1/sessions/{session}"
            status, _ = server.call("PUT", f"{base}/files/dir/a.txt", b"\x00bytes\xff")
            self.assertLess(status, 300)
            with urllib.request.urlopen(f"{server.base}{base}/files/dir/a.txt", timeout=DEADLINE) as answer:
                self.assertEqual(answer.read(), b"\x00bytes\xff")
            (self.tos / "shared").write_text("from outside")
            shared = server.execute(session, command="cat $TOS_MOUNT_PATH/shared")
            self.assertEqual(shared["stdout"], "from outside")
            self.assertEqual(server.call("POST", f"{base}/pause")[0], 200)
            self.assertEqual(self.remote.sandboxes()[0]["status"]["state"], "Paused")
            self.assertEqual(server.call("POST", f"{base}/resume")[0], 200)
            self.assertEqual(server.execute(session, command="echo awake")["stdout"], "awake\n")
            status, usage = server.call("GET", f"{base}/usage")
            self.assertEqual(status, 200)
            self.assertGreater(usage["memory_usage_mb"], 0)
            status, problem = server.call("POST", f"{base}/contexts", {"language": "python"})
            self.assertEqual((status, problem["code"]), (422, "unsupported"), problem)
            self.assertEqual(server.call("DELETE", base)[0], 204)
            self.until(lambda: not self.remote.sandboxes())

    def test_the_workspace_of_a_key(self):
        with self.serve("keyed") as server:
            check_workspace(self, server)

    def test_it_is_found_again_and_nothing_is_left(self):
        server = self.serve("crash")
        session = server.session()
        server.execute(session, command="echo kept > file")
        server.kill()
        server.start()
        self.assertEqual(server.execute(session, command="cat file")["stdout"], "kept\n")
        server.kill()
        self.remote.stop(signal.SIGKILL)
        self.remote.start()
        server.start()
        self.assertEqual(server.execute(session, command="cat file")["stdout"], "kept\n")
        self.assertEqual(server.stop(), 0)
        self.until(lambda: not self.remote.sandboxes())

    def test_the_pool_is_filled_again_and_emptied(self):
        server = self.serve("pool", pool={"size": 1, "max_total": 1})
        self.until(lambda: len(self.remote.sandboxes()) == 1)
        [warm] = [one["id"] for one in self.remote.sandboxes()]
        session = server.session()
        self.assertEqual(server.execute(session, command="echo warm")["stdout"], "warm\n")
        figures = json.dumps(server.call("GET", "/api/v1/runtimes")[1])
        self.until(lambda: len(self.remote.sandboxes()) == 2)
        self.assertIn(warm, [one["id"] for one in self.remote.sandboxes()], figures)
        self.assertEqual(server.stop(), 0)
        self.until(lambda: not self.remote.sandboxes())

    def test_what_the_backend_says_of_its_server(self):
        def table(address):
            done = subprocess.run([ATOLL, "backends", "-o", "json"], env={**os.environ, "OPEN_SANDBOX_DOMAIN": address},
                                  capture_output=True, text=True, timeout=DEADLINE, check=True)
            [entry] = [one for one in json.loads(done.stdout)["backends"] if one["name"] == "opensandbox"]
            return json.dumps(entry)

        self.assertIn('"available": true', table(self.remote.url))
        self.assertIn("no OpenSandbox server answers", table("127.0.0.1:9"))

    def test_a_claim_of_the_mode_vke(self):
        # Behind this server a claim is a volume of its Docker engine.
        self.assertEqual(self.remote.engine.call("POST", "/volumes/create", {"Name": "atoll-tos-claim"})[0], 201)
        vke = {"serverUrl": self.remote.url, "apiKey": KEY, "defaultImage": IMAGE,
               "tos": {"enabled": True, "mountPath": "/shared", "pvcName": "atoll-tos-claim"}}
        with self.serve("vke", mode="vke", vke=vke) as server:
            first, second = server.session(), server.session()
            self.assertEqual(server.execute(first, command="echo kept > $TOS_MOUNT_PATH/note")["exit_code"], 0)
            self.assertEqual(server.execute(second, command="cat /shared/note")["stdout"], "kept\n")
        vke["tos"]["pvcName"] = "atoll-no-such-claim"
        with self.serve("vke-absent", mode="vke", vke=vke) as server:
            status, session = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            self.assertIn("atoll-no-such-claim", json.dumps(session), status)
            self.assertEqual(self.remote.sandboxes(), [])

    def test_a_vanished_sandbox_is_noticed(self):
        with self.serve("vanished") as server:
            session = server.session()
            remote = self.remote.sandboxes()[0]["id"]
            request = urllib.request.Request(f"{self.remote.url}/v1/sandboxes/{remote}", method="DELETE",
                                             headers={"OPEN-SANDBOX-API-KEY": KEY})
            urllib.request.urlopen(request, timeout=DEADLINE).close()
            self.until(lambda: server.call("GET", f"/api/v1/sessions/{session}")[1]["status"] == "failed")

    def test_a_run_without_a_server_of_ours(self):
        values = {**os.environ, "OPEN_SANDBOX_DOMAIN": self.remote.url, "OPEN_SANDBOX_API_KEY": KEY}
        done = subprocess.run([ATOLL, "run", "--backend", "opensandbox", "--", "sh", "-c", "echo hello; exit 3"],
                              env=values, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((done.stdout, done.returncode), ("hello\n", 3), done.stderr)
        self.assertEqual(self.remote.sandboxes(), [])

    def test_the_official_sdk_takes_it_for_a_sandbox(self):
        # Of the agent that stands in for execd: what the SDK does on it is what the real one allows.
        done = subprocess.run([environment() / "bin/python", SDK, self.remote.url, KEY, IMAGE], capture_output=True,
                              text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("exec_ms", json.loads(done.stdout))
        self.until(lambda: not self.remote.sandboxes())

    def test_the_stand_in_refuses_what_is_not_published(self):
        for method, path in (("POST", "/pty"), ("PUT", "/command"), ("GET", "/command"), ("GET", "/ping/x")):
            self.assertRaises(interface.Refused, interface.find_operation, method, path)
        _, _, (parameters, fields) = interface.find_operation("POST", "/command")
        interface.check_fields({"command": "true", "timeout": 1, "cwd": None}, fields)
        for body in ({}, [], {"command": ""}, {"command": 1}, {"command": "true", "timeout": True},
                     {"command": "true", "stdin": "x"}):
            self.assertRaises(interface.Refused, interface.check_fields, body, fields)
        self.assertRaises(interface.Refused, interface.check_parameters, {"x": ["1"]}, parameters)

    def test_a_wrong_key_is_the_servers_trouble_not_the_clients(self):
        local = {"serverUrl": self.remote.url, "apiKey": "wrong", "defaultImage": IMAGE, "tosPath": ""}
        with self.serve("wrong", local=local) as server:
            status, problem = server.call("POST", "/api/v1/run", {"command": "true"})
            self.assertEqual((status, problem["code"]), (502, "backend_error"), problem)
            self.assertIn("OPEN_SANDBOX_API_KEY", problem["detail"])

    def test_refusals_have_reasons_and_leave_nothing(self):
        wrong_key = {"serverUrl": self.remote.url, "apiKey": "wrong", "defaultImage": IMAGE, "tosPath": ""}
        no_image = {**wrong_key, "apiKey": KEY, "defaultImage": "no-such-image:1"}
        no_server = {**wrong_key, "serverUrl": "http://127.0.0.1:9"}
        no_folder = {**wrong_key, "apiKey": KEY, "tosPath": str(self.folder / "elsewhere")}
        for name, local, words in (("key", wrong_key, "apiKey"), ("image", no_image, "no-such-image"),
                                   ("server", no_server, "no OpenSandbox server answers"),
                                   ("folder", no_folder, "allowed_host_paths")):
            with self.subTest(name), self.serve(name, local=local) as server:
                status, session = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
                self.assertIn(words, json.dumps(session), status)
                self.assertEqual(self.remote.sandboxes(), [])
        with self.serve("ended", entrypoint=["true"]) as server:
            status, session = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            self.assertIn("entry point ended", json.dumps(session), status)
            self.until(lambda: not self.remote.sandboxes())
        # It has read the policy and found nothing wrong with it; its network here cannot, and it says so.
        lists = {"allowedDomains": ["example.org", "*.example.net"], "deniedDomains": ["old.example.net"]}
        with self.serve("policy", network=lists) as server:
            status, session = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            self.assertIn("networkPolicy is not supported when docker network_mode", json.dumps(session), status)
            self.assertEqual(self.remote.sandboxes(), [])
        with self.serve("session-policy") as server:
            create = lambda policy: server.call("POST", "/api/v1/sessions", {"config": {"network": policy}}, {"Prefer": "wait"})
            rules = [{"action": "allow", "target": "example.org"}]
            for policy in ({"rules": rules}, {"default": "deny"}, {"default": "allow", "rules": [{"action": "deny", "target": "a.test"}]}):
                status, session = create(policy)
                self.assertIn("networkPolicy is not supported when docker network_mode", json.dumps(session), status)
            for policy in ({"rules": [{**rules[0], "ports": [443]}]}, {"rules": [{"action": "allow", "target": "10.0.0.1"}]}):
                status, refused = create(policy)
                self.assertEqual((status, refused["code"]), (422, "policy_unsupported"), refused)
            self.assertEqual(self.remote.sandboxes(), [])


if __name__ == "__main__":
    unittest.main()
