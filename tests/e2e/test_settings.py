"""Configuration and templates have the effect that docs/configuration.md promises, on real sandboxes."""

import json
import os
import socket
import tempfile
import time
import unittest
import urllib.parse

from server import DEADLINE, Server


class SettingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder = folder.name

    def serve(self, *sets):
        words = [word for one in sets for word in ("--set", one)]
        server = Server(self.folder + "/data", "--no-auth", *words)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def put(self, path, text, mode=0o644):
        path = f"{self.folder}/data/{path}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)

    def until(self, condition):
        deadline = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_limits_files_and_folders(self):
        run = self.folder + "/r"
        os.mkdir(run)
        os.chmod(run, 0o755)
        self.put("bootstrap/init/AGENTS.md", "be kind")
        self.put("bootstrap/skills/hi", "#!/bin/sh\necho hi\n", 0o755)
        server = self.serve("executions.concurrency=1", "executions.queue=1", "sandbox.runtime.timeout=77",
                            f"sandbox.backends.native.runDir={run}", "pool.size=2", "pool.max_total=4",
                            'sandbox.filesystem.denyRead=["/usr/share/d*c"]', 'sandbox.filesystem.denyWrite=["secret"]')
        self.assertTrue(os.listdir(run))
        runtime = server.call("GET", "/api/v1/runtimes")[1]["runtimes"][0]
        self.assertEqual(runtime["endpoint"], server.base)
        session = server.session(template_id="shell-default", config={"environment": {"WHO": "me"}})
        self.assertEqual(server.call("GET", f"/api/v1/sessions/{session}")[1]["config"]["timeout_seconds"], 77)
        ran = server.execute(session, command="cat AGENTS.md; skills/hi; echo $WHO; ls /usr/share/doc; echo x > secret")
        self.assertEqual(ran["stdout"], "be kindhi\nme\n")
        self.assertIn("/usr/share/doc", ran["stderr"])
        self.assertIn("secret", ran["stderr"])
        self.assertNotEqual(ran["exit_code"], 0)
        path = f"/api/v1/sessions/{session}/execute"
        status = [server.call("POST", path, {"command": "sleep 1000"})[0] for _ in range(3)]
        self.assertEqual(status, [202, 202, 429])
        # Sandboxes that wait are handed over, and never more of them wait than may.
        sizes = lambda: [one["size"] for one in
                         server.call("GET", "/api/v1/runtimes/local/metrics")[1]["warm_pool"].values()]
        self.until(lambda: sum(sizes()) == 4)
        self.until(lambda: max(sizes()) <= 2)
        self.assertEqual(server.stop(), 0)

    def test_sessions_with_smaller_limits_are_served_from_the_pool(self):
        server = self.serve("pool.size=0")
        template = {"id": "small", "language": "bash", "resources": {"memory": 512, "disk": 16}, "pool": 1}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        pool = lambda: server.call("GET", "/api/v1/runtimes/local/metrics")[1]["warm_pool"].get("small", {"size": 0})
        self.until(lambda: pool()["size"] == 1)
        session = server.session(template_id="small", config={"resources": {"memory": 64, "pids": 20}})
        self.assertEqual((pool()["hits"], pool()["misses"]), (1, 0))
        usage = server.call("GET", f"/api/v1/sessions/{session}/usage")[1]
        self.assertEqual(usage["memory_limit_mb"], 64)
        ran = server.execute(session, command="for i in $(seq 40); do sleep 100 & done; wait")
        self.assertIn("fork", ran["stderr"])
        ran = server.execute(session, code="import time\nx = b'x' * (200 << 20)", language="python")
        self.assertNotEqual(ran["exit_code"], 0)
        # The disk is made with the sandbox.
        server.session(template_id="small", config={"resources": {"disk": 8}})
        self.assertEqual(pool()["misses"], 1)

    def test_a_writable_root(self):
        server = self.serve("pool.size=0")
        security = {"read_only_filesystem": False}
        for name, more in (("pooled", {"pool": 1, "resources": {"disk": 16}}), ("disk", {"resources": {"memory": 64, "disk": 64}}),
                           ("python", {"language": "python", "preload": []})):
            template = {"id": name, "language": "bash", "security": security, **more}
            self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        write = "mkdir /data && echo x > /data/y && sed -i 's/localhost/me/' /etc/hosts && echo 127.0.0.2 you >> /etc/hosts"
        read = "cat /data/y; grep -c ' me \\|you$' /etc/hosts"
        sessions = [server.session(template_id=name) for name in ("pooled", "disk", "python")]
        for session in sessions:
            ran = server.execute(session, command=write)
            self.assertEqual((ran["exit_code"], ran["stderr"]), (0, ""))
            isolation = server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]
            self.assertIn("read_only_root", isolation["missing"])
            self.assertNotIn("read_only_root", isolation["layers"])
        context = {"code": "open('/data/y').read()", "language": "python", "context": "default"}
        result = server.execute(sessions[2], **context)["result"]["results"][0]
        self.assertEqual(result["data"]["text/plain"], "'x\\n'")
        default = server.session(template_id="shell-default")
        self.assertIn("Read-only file system", server.execute(default, command="mkdir /data")["stderr"])
        full = server.execute(sessions[0], command="head -c 30m /dev/zero > /full; rm /full")
        self.assertIn("No space left on device", full["stderr"])
        server.kill()
        server.start()
        for session in sessions:
            self.assertEqual(server.execute(session, command=read)["stdout"], "x\n3\n")
            self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        again = server.session(template_id="pooled")
        self.assertEqual(server.execute(again, command=read)["stdout"], "0\n")
        self.assertEqual(server.stop(), 0)

    def test_snapshots_and_ranges(self):
        server = self.serve("pool.size=0")
        session = server.session(template_id="shell-default")
        files = f"/api/v1/sessions/{session}/files"
        content = os.urandom(1 << 20) * 5
        self.assertEqual(server.call("PUT", f"{files}/big", content)[0], 201)
        self.assertEqual(server.call("GET", f"{files}/big", headers={"Range": "bytes=4000000-4000009"}),
                         (206, content[4000000:4000010]))
        self.assertEqual(server.call("GET", f"{files}/big", headers={"Range": "bytes=-7"}), (206, content[-7:]))
        status, snapshot = server.call("POST", f"/api/v1/sessions/{session}/snapshots", {"name": "one"})
        self.assertEqual(status, 201, snapshot)
        folder = f"{self.folder}/data/snapshots"
        self.assertEqual(os.listdir(folder), [snapshot["id"]])
        self.assertEqual(os.path.getsize(f"{folder}/{snapshot['id']}"), snapshot["size"])
        for orphan in ("gone", "half.part"):
            self.put("snapshots/" + orphan, "x")
        server.kill()
        server.start()
        self.until(lambda: os.listdir(folder) == [snapshot["id"]])
        other = server.session(template_id="shell-default", snapshot_id=snapshot["id"])
        self.assertEqual(server.call("GET", f"/api/v1/sessions/{other}/files/big"), (200, content))
        listed = server.call("GET", f"/api/v1/sessions/{other}/files?limit=1")[1]
        self.assertEqual(len(listed["files"]), 1)

    # covers: createSession, putFile
    def test_a_body_that_stands_still(self):
        server = self.serve("server.limits.body_timeout=5")
        session = server.session(template_id="shell-default")
        address = urllib.parse.urlparse(server.base)
        for target in ("POST /api/v1/sessions", f"PUT /api/v1/sessions/{session}/files/cut"):
            with socket.create_connection((address.hostname, address.port), timeout=DEADLINE) as connection:
                connection.sendall(f'{target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{"a'.encode())
                head, _, problem = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.1 408 "), head)
            self.assertEqual(json.loads(problem)["code"], "transfer_timeout")
        self.assertEqual(server.call("GET", f"/api/v1/sessions/{session}/files/cut")[0], 404)

    def test_sandboxes_outlive_a_clean_end_where_they_are_to(self):
        server = self.serve("pool.size=0", "sandbox.runtime.cleanupOnExit=false")
        session = server.session()
        server.execute(session, command="echo kept > file")
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(server.execute(session, command="cat file")["stdout"], "kept\n")
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)

    def test_what_has_ended_is_kept_for_a_while(self):
        server = self.serve("pool.size=0", "store.retention.ended_sessions=3600")
        session = f"/api/v1/sessions/{server.session()}"
        self.assertEqual(server.call("DELETE", session)[0], 204)
        self.assertEqual(server.stop(), 0)
        server.start()  # which looks for what is old
        self.assertEqual(server.call("GET", session)[1]["status"], "terminated")

    def test_a_sandbox_block_that_is_off(self):
        config = self.folder + "/config.json"
        with open(config, "w") as file:
            file.write('{"sandbox": {}}')
        server = Server(self.folder + "/data", "--no-auth", "--config", config)
        self.addCleanup(server.stop)
        status, problem = server.call("POST", "/api/v1/sessions", {})
        self.assertEqual((status, problem["code"]), (403, "sandbox_disabled"))


if __name__ == "__main__":
    unittest.main()
