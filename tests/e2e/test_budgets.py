"""What requests ask for is bounded by what the operator allows: memory for output, places on the disk."""

import os
import tempfile
import threading
import time
import unittest
import urllib.request

from server import DEADLINE, Server

MEBIBYTE = 1 << 20
KEPT = 24 * MEBIBYTE  # of each stream
AT_ONCE = 8


def peak_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


class BudgetsTest(unittest.TestCase):
    def serve(self, *settings):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        options = [word for setting in settings for word in ("--set", setting)]
        server = Server(folder.name + "/data", "--no-auth", "--set", "pool.size=0", *options)
        self.addCleanup(server.stop)
        return server

    # covers: C44
    def test_output_is_not_held_in_memory(self):
        server = self.serve(f"executions.max_output_bytes={KEPT}")
        session = server.session(template_id="shell-default")
        command = f"head -c {KEPT} /dev/zero | tr '\\0' o; head -c {KEPT} /dev/zero | tr '\\0' e >&2"
        server.execute(session, command="true")
        before = peak_memory(server.process.pid)
        results = []

        def execute():
            status, made = server.call("POST", f"/api/v1/sessions/{session}/execute", {"command": command, "timeout": 600},
                                       {"Prefer": "wait=600"})
            results.append((status, made["state"], len(made["stdout"]), len(made["stderr"]), len(made["output"])))

        threads = [threading.Thread(target=execute) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [(200, "completed", KEPT, KEPT, 2 * KEPT)] * AT_ONCE)
        grown = peak_memory(server.process.pid) - before
        print(f"{AT_ONCE} executions with {2 * KEPT >> 20} MiB of output each: {grown >> 20} MiB of memory more")
        self.assertLess(grown, 128 * MEBIBYTE)
        listed = server.call("GET", f"/api/v1/sessions/{session}/results")[1]["results"]
        self.assertEqual(len(listed[0]["stdout"]), KEPT)
        self.assertLess(peak_memory(server.process.pid) - before, 128 * MEBIBYTE)
        self.assertEqual(os.listdir(server.data + "/journals"), [])

    # covers: C24
    def test_large_output_outlives_a_crash(self):
        server = self.serve()
        session = server.session(template_id="shell-default")
        command = "head -c 3000000 /dev/zero | tr '\\0' o; echo e >&2; sleep 1000"
        path = f"/api/v1/sessions/{session}/execute"
        path = "/api/v1/executions/" + server.call("POST", path, {"command": command})[1]["execution_id"]
        deadline = time.monotonic() + DEADLINE
        while server.call("GET", path)[1]["stderr"] != "e\n":
            self.assertLess(time.monotonic(), deadline)
        server.kill()
        server.start()
        for _ in range(2):
            found = server.call("GET", path)[1]
            self.assertEqual((found["state"], found["error"]["code"]), ("failed", "server_restarted"))
            self.assertEqual((found["stdout"] == "o" * 3_000_000, found["stderr"]), (True, "e\n"))
            server.stop()
            server.start()

    def test_more_output_than_the_configuration_keeps_is_refused(self):
        server = self.serve("executions.max_output_bytes=4096")
        session = server.session(template_id="shell-default")
        problem = server.execute(session, command="true", max_output_bytes=4097)
        self.assertEqual((problem["status"], problem["code"]), (422, "invalid_value"))
        self.assertIn("4096", problem["detail"])
        self.assertEqual(len(server.execute(session, command="yes | head -c 9000", max_output_bytes=100)["stdout"]), 100)

    # covers: C51
    def test_quotas_outlive_the_server(self):
        server = self.serve("quotas.snapshots=2", "quotas.workspaces=1")
        session = server.session(template_id="shell-default", session_key="one")
        path = f"/api/v1/sessions/{session}/snapshots"
        self.assertEqual([server.call("POST", path)[0] for _ in range(2)], [201, 201])
        for _ in range(2):
            for problem, quota in ((server.call("POST", path)[1], "snapshots"),
                                   (server.call("POST", "/api/v1/sessions", {"session_key": "two"})[1], "workspaces")):
                self.assertEqual((problem["status"], problem["code"], problem["quota"]), (429, "quota_exceeded", quota))
            server.kill()
            server.start()
        first = server.call("GET", "/api/v1/snapshots")[1]["snapshots"][0]["id"]
        self.assertEqual(server.call("DELETE", f"/api/v1/snapshots/{first}")[0], 204)
        self.assertEqual(server.call("POST", path)[0], 201)

    # covers: C51, streamEvents
    def test_a_workspace_that_is_not_saved_is_told(self):
        server = self.serve("quotas.workspace_bytes=100000")
        session = server.session(template_id="shell-default", session_key="k")
        path = f"/api/v1/sessions/{session}"

        def after(command):
            self.assertEqual(server.execute(session, command=command)["exit_code"], 0)
            return server.call("GET", path)[1].get("workspace_error", {}).get("code")
        self.assertIsNone(after("echo 1 > f"))
        self.assertEqual(after("head -c 300000 /dev/zero > large; echo 2 > f"), "quota_exceeded")
        with open(f"{server.data}/workspaces/default/k/f", encoding="ascii") as file:
            self.assertEqual(file.read(), "1\n")
        self.assertIsNone(after("rm large"))
        for _ in range(2):
            self.assertEqual(after("head -c 300000 /dev/zero > large"), "quota_exceeded")
        self.assertEqual(server.call("DELETE", path)[0], 204)
        ended = server.call("GET", path)[1]
        self.assertEqual((ended["status"], ended["workspace_error"]["code"]), ("terminated", "quota_exceeded"))
        self.assertNotIn("error", ended)
        request = urllib.request.Request(server.base + "/api/v1/events", headers={"Last-Event-ID": "0"})
        told = 0
        with urllib.request.urlopen(request, timeout=DEADLINE) as events:
            for line in events:
                told += b"workspace_not_saved" in line and line.startswith(b"data:")
                if b"session_terminated" in line:
                    break
        self.assertEqual(told, 3)  # when it begins, not each time, and at the end of the session

    # covers: C51
    def test_below_the_floor_nothing_new_is_kept(self):
        server = self.serve("storage.min_free_bytes=1125899906842624", "storage.min_free_percent=99")
        session = server.session(template_id="shell-default")
        status, problem = server.call("POST", f"/api/v1/sessions/{session}/snapshots")
        self.assertEqual((status, problem["code"]), (507, "storage_full"))
        self.assertEqual(server.execute(session, command="echo still works")["stdout"], "still works\n")
        loud = server.execute(session, command="yes | head -c 3000000")
        self.assertEqual((loud["exit_code"], loud["truncated"]), (0, True))


if __name__ == "__main__":
    unittest.main()
