"""The lines of the contract that no other test is about, on a server with the native backend."""

import datetime
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from leftovers import guests_below, launcher_folders
from server import DEADLINE, Server
from support import ATOLL

API = "/api/v1"


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.chmod(cls.folder.name, 0o755)
        cls.server = Server(cls.folder.name + "/data", "--no-auth")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.server.stop)

    def get(self, path):
        status, body = self.server.call("GET", API + path)
        self.assertEqual(status, 200, body)
        return body

    def make(self, **body):
        status, session = self.server.call("POST", API + "/sessions", body, {"Prefer": "wait"})
        self.assertEqual(status, 201, session)
        self.addCleanup(self.server.call, "DELETE", f"{API}/sessions/{session['id']}")
        return session

    def until(self, look):
        deadline = time.monotonic() + DEADLINE
        while not (found := look()):
            self.assertLess(time.monotonic(), deadline)
        return found

    # covers: C1, C2, C5
    def test_built_in_templates(self):
        listed = {one["id"]: one for one in self.get("/templates")["templates"]}
        self.assertLessEqual({"python-default", "node-default", "shell-default"}, listed.keys())
        for one in listed.values():
            self.assertLessEqual({"id", "name", "backend", "image", "resources", "security", "env", "preinstalled_packages",
                                  "preload", "pool", "ttl"}, one.keys())
            resources = one["resources"]
            limits = [resources[name] for name in ("memory", "cpu", "pids", "disk")]
            self.assertEqual((limits, one["pool"]), ([512, 0.5, 100, 256], 5), one["id"])
        status, made = self.server.call("POST", API + "/templates", {"id": "silent", "name": "Silent", "language": "bash"})
        self.assertEqual((status, made["resources"]["disk"]), (201, 1024), made)
        self.server.call("DELETE", API + "/templates/silent")

    # covers: C1
    def test_the_defaults_are_enforced(self):
        session = self.make(template_id="shell-default")["id"]
        usage = self.get(f"/sessions/{session}/usage")
        self.assertEqual(usage["memory_limit_mb"], 512)
        ran = self.server.execute(session, command="for i in $(seq 150); do sleep 100 & done; wait", timeout=60)
        self.assertIn("fork", ran["stderr"], ran)

    # covers: C3
    def test_lifetime_and_time_outs(self):
        session = self.make(template_id="shell-default")
        self.assertEqual(session["config"]["timeout_seconds"], 300)
        self.assertAlmostEqual(moment(session["expires_at"]) - moment(session["created_at"]), 300, delta=5)

    # covers: C4
    def test_ten_mebibytes_of_output_are_kept(self):
        session = self.make(template_id="shell-default")["id"]
        ran = self.server.execute(session, command="head -c 11000000 /dev/zero | tr '\\0' x; echo end >&2")
        self.assertEqual((len(ran["stdout"]), ran["truncated"], ran["stderr"]), (10 << 20, True, "end\n"))

    # covers: C6, C7
    def test_no_network_and_a_root_that_cannot_be_written(self):
        session = self.make(template_id="python-default")["id"]
        ran = self.server.execute(session, command="sed -n 's/:.*//p' /proc/net/dev; touch /etc/x; touch /workspace/a /tmp/b && echo made")
        self.assertEqual(ran["stdout"], "    lo\nmade\n")
        self.assertIn("Read-only file system", ran["stderr"])

    # covers: C10, C11
    def test_the_session_body(self):
        status, begun = self.server.call("POST", API + "/sessions", {"template_id": "shell-default", "labels": {"a": "b"}})
        self.assertEqual((status, begun["id"]), (202, begun["session_id"]))
        self.addCleanup(self.server.call, "DELETE", f"{API}/sessions/{begun['id']}")
        ready = self.until(lambda: (now := self.get(f"/sessions/{begun['id']}"))["status"] == "ready" and now)
        for name in ("session_key", "template_id", "runtime_node", "backend", "config", "labels", "metadata",
                     "isolation", "created_at", "updated_at", "expires_at"):
            self.assertIn(name, ready)
        self.assertIn("layers", ready["isolation"])
        self.assertIn("missing", ready["isolation"])
        self.server.call("POST", f"{API}/sessions/{begun['id']}/execute", {"command": "sleep 1000", "timeout": 0})
        self.assertEqual(self.get(f"/sessions/{begun['id']}")["status"], "running")

    # covers: C11, C13
    def test_the_end_of_a_lifetime_and_renewal(self):
        longer = self.make(template_id="shell-default", config={"timeout_seconds": 8})
        before = time.time()
        status, renewed = self.server.call("POST", f"{API}/sessions/{longer['id']}/renew", {"seconds": 500})
        self.assertEqual(status, 200, renewed)
        self.assertGreater(moment(renewed["expires_at"]), before + 499)
        self.assertLess(moment(renewed["expires_at"]), time.time() + 501)
        short = self.make(template_id="shell-default", config={"timeout_seconds": 8})  # ends later than that one would
        self.until(lambda: self.get(f"/sessions/{short['id']}")["status"] == "completed")
        self.assertEqual(self.get(f"/sessions/{longer['id']}")["status"], "ready")

    # covers: C14
    def test_the_execution_body(self):
        session = self.make(template_id="shell-default")["id"]
        ran = self.server.execute(session, command="echo a; echo b > made; cd /tmp; pwd; cat; echo $KEY", track_files=True,
                                  stdin="in\n", env={"KEY": "value"}, cwd="/workspace")
        self.assertEqual((ran["session_id"], ran["state"], ran["exit_code"], ran["success"]), (session, "completed", 0, True))
        self.assertEqual((ran["stdout"], ran["output"]), ("a\n/tmp\nin\nvalue\n",) * 2)
        self.assertEqual((ran["timed_out"], ran["truncated"], ran["error"]), (False, False, None))
        self.assertEqual(ran["files"], {"created": ["made"], "changed": [], "removed": []})
        self.assertGreater(ran["metrics"]["memory_peak_bytes"], 0)
        self.assertGreaterEqual(ran["duration_ms"], 0)

    # covers: C14
    def test_a_program_that_cannot_be_started(self):
        session = self.make(template_id="shell-default")["id"]
        for program, status, code in (("nowhere", 127, "program_not_found"),
                                      ("/etc/passwd", 126, "program_not_executable")):
            ran = self.server.execute(session, command=[program])
            self.assertEqual((ran["state"], ran["exit_code"], ran["error"]["code"]), ("failed", status, code))
            self.assertRegex(ran["stderr"], f'^atoll: {code}: .*"{program}"')

    def test_code_that_needs_a_file_leaves_none(self):
        session = self.make(template_id="python-default")["id"]
        for code in ("pass  #" + "x" * 200_000, "import time; time.sleep(60)  #" + "x" * 200_000):
            self.server.execute(session, code=code, timeout=2)
        self.server.execute(session, language="c", code="int main(void) { return 0; }")
        self.server.execute(session, language="c", code="int main(void) { return ")
        ran = self.server.execute(session, command="ls /tmp | grep -c atoll")
        self.assertEqual(ran["stdout"], "0\n")

    def test_nothing_leaves_an_execution(self):
        session = self.make(template_id="python-default")["id"]
        execute = f"{API}/sessions/{session}/execute"
        self.server.call("POST", execute, {"command": "exec sleep 4321", "timeout": 0})
        code = ("import subprocess, time\n"
                "for _ in range(2): subprocess.Popen(['sleep', '1234'], start_new_session=True)\n"
                "print('left', flush=True)\n"
                "time.sleep(600)")
        running = lambda: [one["command"] for one in self.get(f"/sessions/{session}/processes")["processes"]]
        for command in ({"code": code}, {"command": ["python3", "-c", code]}):
            self.assertEqual(self.server.execute(session, **command, timeout=3)["state"], "timed_out")
            self.until(lambda: "sleep 1234" not in running())
            _, begun = self.server.call("POST", execute, {**command, "timeout": 0})
            one = f"/executions/{begun['execution_id']}"
            self.until(lambda: self.get(one)["stdout"] == "left\n")
            self.server.call("DELETE", API + one)
            self.until(lambda: "sleep 1234" not in running())
            self.assertEqual(self.get(one)["state"], "cancelled")
        self.assertIn("sleep 4321", running())

    # covers: C14
    def test_what_a_run_in_a_context_used(self):
        session = self.make(template_id="python-default")["id"]
        ran = self.server.execute(session, context="default", code="for _ in range(10**7): pass")
        self.assertGreater(ran["metrics"]["cpu_user_ms"], 0)
        self.assertGreater(ran["metrics"]["memory_peak_bytes"], 1 << 20)
        ran = self.server.execute(session, context="default", code="a = [bytearray(1 << 20) for _ in range(1 << 20)]")
        self.assertEqual((ran["exit_code"], ran["error"]["code"]), (137, "resource_exhausted"))
        self.assertGreater(ran["metrics"]["memory_peak_bytes"], 64 << 20)

    # covers: C15
    def test_executing_while_the_session_is_being_made(self):
        _, begun = self.server.call("POST", API + "/sessions", {
            "template_id": "shell-default", "config": {"resources": {"memory": 100}}})
        self.addCleanup(self.server.call, "DELETE", f"{API}/sessions/{begun['id']}")
        self.assertEqual(self.server.execute(begun["id"], command="echo late")["stdout"], "late\n")

    # covers: C16
    def test_bytes_that_are_no_text(self):
        session = self.make(template_id="shell-default")["id"]
        ran = self.server.execute(session, command="printf 'a\\377b'")
        self.assertEqual((ran["stdout"], ran["stdout_b64"]), ("a\ufffdb", "Yf9i"))
        self.assertNotIn("stderr_b64", {name for name, value in ran.items() if value is not None})

    # covers: C17, C18
    def test_status_processes_and_stdin(self):
        session = self.make(template_id="shell-default")["id"]
        _, begun = self.server.call("POST", f"{API}/sessions/{session}/execute",
                                    {"command": ["cat"], "timeout": 0, "stdin_open": True})
        execution = begun["execution_id"]
        status = self.get(f"/sessions/{session}/status")
        self.assertEqual((status["status"], status["running"]), ("running", [execution]))
        listed = self.until(lambda: self.get(f"/sessions/{session}/processes")["processes"])
        self.assertEqual([one["command"] for one in listed], ["cat"])
        self.assertEqual(self.server.call("POST", f"{API}/executions/{execution}/stdin", {"data": "x\n", "close": True})[0], 204)
        ended = self.until(lambda: (now := self.get(f"/executions/{execution}"))["state"] != "running" and now)
        self.assertEqual((ended["state"], ended["stdout"]), ("completed", "x\n"))
        self.assertEqual(self.get(f"/sessions/{session}/status")["last_execution"], execution)

    # covers: C19
    def test_usage(self):
        usage = self.get(f"/sessions/{self.make(template_id='shell-default')['id']}/usage")
        for name in ("cpu_usage_percent", "memory_usage_mb", "memory_limit_mb", "network_rx_bytes", "network_tx_bytes",
                     "pids_current", "disk_usage_mb"):
            self.assertIsInstance(usage[name], (int, float), name)
        self.assertEqual(usage["alerts"], [])

    # covers: C22
    def test_a_used_sandbox_is_nobody_elses(self):
        first = self.make(template_id="shell-default")["id"]
        self.server.execute(first, command="echo secret > /workspace/left; echo secret > /tmp/left")
        self.server.call("DELETE", f"{API}/sessions/{first}")
        for _ in range(8):  # more than the pool holds
            ran = self.server.execute(self.make(template_id="shell-default")["id"], command="ls -A /workspace /tmp")
            self.assertEqual(ran["stdout"], "/tmp:\n\n/workspace:\n")

    # covers: C25
    def test_a_killed_guest_ends_its_session(self):
        folders = launcher_folders(self.server.process.pid)
        session = self.make(template_id="shell-default", config={"resources": {"memory": 96}})["id"]  # not of a pool
        mark = f"/workspace/{session}"
        self.server.call("POST", f"{API}/sessions/{session}/execute", {"command": f"exec sleep 12345; {mark}", "timeout": 0})

        def guest():
            for pid in guests_below(folders):
                for child in children_of(pid):
                    if b"12345" in command_of(child):
                        return pid
            return None

        os.kill(self.until(guest), signal.SIGKILL)
        self.until(lambda: self.get(f"/sessions/{session}")["status"] == "failed")

    # covers: C31
    def test_bare_paths_answer_the_same(self):
        self.assertEqual(self.server.call("GET", "/health"), self.server.call("GET", API + "/health"))
        self.assertIn(b"sessions_active", self.server.call("GET", "/metrics")[1])

    # covers: C38
    def test_names_of_figures(self):
        self.server.execute(self.make(template_id="shell-default")["id"], command="false")
        self.server.call("GET", API + "/health")
        figures = self.server.call("GET", API + "/metrics")[1].decode()
        for name in ("sessions_created_total", "sessions_active", "executions_total", "execution_duration_seconds",
                     "executions_errors_total", "runtime_nodes_healthy", "runtime_cpu_usage_percent",
                     "runtime_memory_usage_bytes", "runtime_session_count", "api_request_duration_seconds",
                     "api_requests_total", "warm_pool_size", "warm_pool_hits_total", "warm_pool_misses_total"):
            self.assertIn(f"# TYPE {name} ", figures)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return file.read().split()
    except OSError:
        return []


class Start(unittest.TestCase):
    # covers: C34
    def test_without_keys_only_on_loopback(self):
        with tempfile.TemporaryDirectory() as folder:
            refused = subprocess.run([ATOLL, "serve", "--no-auth", "--listen", "0.0.0.0:0", "--data", folder + "/data"],
                                     capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(refused.returncode, 125)
        self.assertIn("--no-auth", refused.stderr)

    # covers: C8
    def test_the_address_by_default(self):
        shown = subprocess.run([ATOLL, "config", "show", "-o", "json"], capture_output=True, text=True, timeout=DEADLINE,
                               env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, check=True)
        self.assertIn("127.0.0.1:8080", shown.stdout)

    # covers: C39
    def test_lines_of_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            process = subprocess.Popen([ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", folder + "/data", "--no-auth"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            server = Server.__new__(Server)
            server.process, server.base = process, process.stdout.readline().split()[-1]
            try:
                self.assertEqual(server.call("POST", API + "/sessions", {}, {"Prefer": "wait", "traceparent":
                                             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})[0], 201)
            finally:
                process.terminate()
            _, log = process.communicate(timeout=DEADLINE)
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        made = next(line for line in lines if line["event"] == "session_created")
        for name in ("timestamp", "level", "service", "session_id", "runtime_node", "template_id", "metadata", "request_id"):
            self.assertIn(name, made)
        self.assertEqual(made["trace_id"], "0af7651916cd43dd8448eb211c80319c")


if __name__ == "__main__":
    unittest.main()
