"""The srt backend as its users meet it: policy, network, ends of every kind, and what goes wrong."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import reachable  # noqa: F401  first: it says where the programs are
import json_schema
import support
from server import check_workspace
from srt_case import Names, SrtCase, processes_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import cgroups  # noqa: E402

DEADLINE = 60
FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=60).read().decode())"
SCHEMA = json.loads((pathlib.Path(__file__).parent / "srt-settings.schema.json").read_text())


def until(true, what):
    limit = time.monotonic() + DEADLINE
    while not true():
        if time.monotonic() > limit:
            raise AssertionError(f"never: {what}")
        time.sleep(0.02)


class Policy(SrtCase):
    def test_files(self):
        open_, secret, shared, kept = (self.folder / name for name in ("open.txt", "secret", "shared", "shared/kept"))
        secret.mkdir(mode=0o755)
        shared.mkdir(mode=0o777)
        shared.chmod(0o777)
        for path in (open_, secret / "key", kept, shared / "a.pem"):
            path.write_text("content")
            path.chmod(0o666)
        # Outside, anybody can do all of this: what fails inside fails because of the policy.
        for path in (open_, secret / "key", kept, shared / "a.pem"):
            done = support.subprocess.run(["sh", "-c", f"cat {path} && echo more >> {path}"], capture_output=True,
                                          text=True, user=64999 if support.IS_ROOT else None)
            self.assertEqual((done.returncode, done.stdout), (0, "content"), done)
        with self.serve({"filesystem": {"denyRead": [str(secret), "*.none"], "allowWrite": [str(shared)],
                                        "denyWrite": [str(kept), f"{shared}/*.pem", ".env"]}}) as server:
            session = server.session()
            see = lambda command: self.shell(server, session, command)
            self.assertEqual(see(f"cat {open_}"), (0, "contentmore\n"))
            self.assertNotEqual(see(f"cat {secret}/key")[0], 0)
            self.assertNotEqual(see(f"echo x > {open_}")[0], 0)
            self.assertEqual(see(f"echo x > {shared}/new && cat {shared}/new"), (0, "x\n"))
            self.assertNotEqual(see(f"echo x > {kept}")[0], 0)
            self.assertNotEqual(see(f"echo x > {shared}/a.pem")[0], 0)
            self.assertEqual(see(f"cat {kept}"), (0, "contentmore\n"))
            self.assertEqual(see("echo x > own && cat own && echo y > $TMPDIR/t && cat $TMPDIR/t"), (0, "x\ny\n"))
            self.assertNotEqual(see("echo x > .env")[0], 0)
            for name in (".bashrc", ".gitconfig", ".mcp.json", ".vscode/x", ".claude/commands/x"):
                self.assertNotEqual(see(f"echo x > {name}")[0], 0, name)
            # A repository's hooks are for whoever works on the host.
            self.assertEqual((shared / "new").read_text(), "x\n")
        self.assertEqual(sorted(os.listdir(shared)), ["a.pem", "kept", "new"])

    def test_what_is_the_servers_own_stays_unseen(self):
        with self.serve() as server:
            one, two = server.session(), server.session()
            self.assertEqual(self.shell(server, two, "echo x > own"), (0, ""))
            workspace = self.shell(server, two, "pwd")[1].strip()
            self.assertTrue(os.path.exists(f"{workspace}/own"))
            for path in (f"{workspace}/own", f"{self.data}/atoll.db", next(self.sandboxes.iterdir()) / "settings.json"):
                self.assertNotEqual(self.shell(server, one, f"cat {path}")[0], 0, path)
            self.assertNotEqual(self.shell(server, one, f"ls {workspace}")[0], 0)

    def test_settings_are_private_and_as_srt_wants_them(self):
        with self.serve({"network": {"allowedDomains": ["good.test", "*.good.test"], "deniedDomains": ["x.good.test"],
                                     "allowLocalBinding": True},
                         "filesystem": {"denyRead": ["/etc/ssh"], "denyWrite": [".env"]}},
                        settings={"mandatoryDenySearchDepth": 2}) as server:
            server.session()
            [folder] = self.sandboxes.iterdir()
            settings = json.loads((folder / "settings.json").read_text())
            self.assertEqual(json_schema.problems(settings, SCHEMA), [])
            self.assertEqual(settings["network"], {"allowedDomains": ["good.test", "*.good.test"],
                                                   "deniedDomains": ["x.good.test"], "allowLocalBinding": True})
            self.assertEqual(settings["mandatoryDenySearchDepth"], 2)
            self.assertIn({"path": f"{folder}/workspace/.env", "literal": True}, settings["filesystem"]["denyWrite"])
            self.assertEqual((folder / "settings.json").stat().st_mode & 0o777, 0o600)
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_the_schema_can_refuse(self):
        good = {"network": {"allowedDomains": [], "deniedDomains": []},
                "filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []}}
        self.assertEqual(json_schema.problems(good, SCHEMA), [])
        for block, change in (("network", {"allowedDomains": "x"}), ("network", {"more": 1}),
                              ("filesystem", {"denyRead": [{"path": "x"}]}), ("filesystem", {"denyRead": [""]})):
            wrong = {**good, block: {**good[block], **change}}
            self.assertEqual(len(json_schema.problems(wrong, SCHEMA)), 1, wrong)


class Network(SrtCase):
    def test_domains(self):
        names = Names()
        self.addCleanup(names.server_close)
        self.addCleanup(names.shutdown)
        for name in ("good.test", "sub.good.test", "bad.test", "x.sub.good.test"):
            self.assertEqual(names.fetch(f"http://{name}/"), f"this is {name}")
        names.asked.clear()
        base = {"network": {"parentProxy": {"http": names.address}}}
        with self.serve({"network": {"allowedDomains": ["good.test", "*.good.test"],
                                     "deniedDomains": ["x.sub.good.test"]}}, settings=base) as server:
            session = server.session()
            fetch = lambda name: self.shell(server, session, f"python3 -c '{FETCH}' http://{name}/")
            self.assertEqual(fetch("good.test"), (0, "this is good.test\n"))
            self.assertEqual(fetch("sub.good.test"), (0, "this is sub.good.test\n"))
            for name in ("bad.test", "x.sub.good.test"):
                code, text = fetch(name)
                self.assertNotEqual(code, 0)
                self.assertIn("403", text)
            # Past the proxy there is nothing, not even the host's own loopback.
            direct = f"env -u http_proxy -u HTTP_PROXY python3 -c '{FETCH}' {names.address}/"
            self.assertNotEqual(self.shell(server, session, direct)[0], 0)
            self.assertEqual({path.split("/")[2] for path in names.asked}, {"good.test", "sub.good.test"})

    def test_a_template_brings_domains_of_its_own(self):
        names = Names()
        self.addCleanup(names.server_close)
        self.addCleanup(names.shutdown)
        with self.serve(settings={"network": {"parentProxy": {"http": names.address}}}) as server:
            for name, security in (("t", {"allow_network": True}), ("r", {"read_only_filesystem": False})):
                body = {"id": name, "language": "bash", "security": security}
                self.assertEqual(server.call("POST", "/api/v1/templates", body)[0], 201)
                status, refused = server.call("POST", "/api/v1/sessions", {"template_id": name})
                self.assertEqual((status, refused["code"]), (422, "policy_unsupported"))
            body = {"id": "u", "language": "bash", "security": {"allowed_domains": ["good.test"]}}
            self.assertEqual(server.call("POST", "/api/v1/templates", body)[0], 201)
            session = server.session(template_id="u")
            self.assertEqual(self.shell(server, session, f"python3 -c '{FETCH}' http://good.test/")[0], 0)
            plain = server.session()
            self.assertNotEqual(self.shell(server, plain, f"python3 -c '{FETCH}' http://good.test/")[0], 0)

    def test_a_policy_becomes_lists(self):
        names = Names()
        self.addCleanup(names.server_close)
        self.addCleanup(names.shutdown)
        allow = lambda target, **more: {"action": "allow", "target": target, **more}
        deny = lambda target: {"action": "deny", "target": target}
        # The policy takes the place of what the file allows.
        base = {"network": {"parentProxy": {"http": names.address}, "allowedDomains": ["file.test"], "deniedDomains": []}}
        with self.serve(settings=base) as server:
            rules = [deny("x.sub.good.test"), allow("good.test", ports=[80]), allow("*.sub.good.test"), deny("*")]
            session = server.session(config={"network": {"rules": rules}})
            fetch = lambda name: self.shell(server, session, f"python3 -c '{FETCH}' http://{name}/")[0]
            for name in ("good.test", "a.sub.good.test"):
                self.assertEqual(fetch(name), 0, name)
            for name in ("x.sub.good.test", "good.test:81", "file.test", "bad.test"):
                self.assertNotEqual(fetch(name), 0, name)
            for policy in ({"default": "allow"}, {"rules": [allow("10.0.0.0/8")]}, {"rules": [allow("a.test"), deny("b.test")]},
                           {"rules": [allow("a.test", ports=["1-9"])]}):
                status, refused = server.call("POST", "/api/v1/sessions", {"config": {"network": policy}})
                self.assertEqual((status, refused["code"]), (422, "policy_unsupported"), policy)
            status, refused = server.call("PUT", f"/api/v1/sessions/{session}/network", {"rules": [allow("bad.test")]})
            self.assertEqual((status, refused["code"]), (422, "policy_unsupported"), refused)


class Ends(SrtCase):
    def expect_nothing_left(self):
        until(lambda: not processes_of(self.data), "no process of this server's sandboxes")
        until(lambda: not os.listdir(self.sandboxes), "no folder of a sandbox")  # in the background, after a start

    def test_state_lives_as_long_as_the_session(self):
        with self.serve() as server:
            session = server.session()
            status, context = server.call("POST", f"/api/v1/sessions/{session}/contexts", {"language": "python"})
            self.assertEqual(status, 201, context)
            server.execute(session, code="x = 41", context=context["id"])
            self.assertEqual(server.execute(session, code="print(x + 1)", context=context["id"])["stdout"], "42\n")
            self.assertEqual(server.text(session, command="echo out; echo err >&2; exit 3"),
                             "out\n\nSTDERR:\nerr\n\n\nExit code: 3")
            self.assertEqual(server.call("PUT", f"/api/v1/sessions/{session}/files/a.txt", b"text")[0] // 100, 2)
            self.assertEqual(self.shell(server, session, "cat a.txt"), (0, "text"))
            self.assertTrue(processes_of(self.data))
            self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
            until(lambda: not os.listdir(self.sandboxes), "the sandbox's folder removed")
            self.expect_nothing_left()

    def test_the_workspace_of_a_key(self):
        with self.serve() as server:
            check_workspace(self, server)

    def test_shared_memory_does_not_outlive_it(self):
        """There is no namespace for it: outside it can be had, inside not."""
        code = ("import ctypes; c = ctypes.CDLL(None, use_errno=True); one = c.shmget(0, 4096, 0o1600); "
                "print(one >= 0); one >= 0 and c.shmctl(one, 0, None)")
        outside = subprocess.run(["python3", "-c", code], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(outside.stdout, "True\n")
        with self.serve() as server:
            self.assertEqual(self.shell(server, server.session(), f'python3 -c "{code}"'), (0, "False\n"))

    def test_folders_in_folders(self):
        """Deeper than a recursion could follow, or descriptors suffice."""
        with self.serve() as server:
            session = server.session()
            code = "import os\nfor _ in range(20000): os.mkdir('a'); os.chdir('a')\nprint('deep')"
            self.assertEqual(server.execute(session, code=code, language="python")["stdout"], "deep\n")
            self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
            until(lambda: not os.listdir(self.sandboxes), "the sandbox's folder removed")

    def test_warm_pool(self):
        def figure(name):
            text = server.call("GET", "/metrics")[1].decode()
            return float(re.search(rf'^{name}{{template="python-default"}} (\S+)$', text, re.MULTILINE)[1])

        with self.serve(pool=1) as server:
            until(lambda: figure("warm_pool_size") == 1, "a sandbox waits")
            session = server.session()
            self.assertEqual(figure("warm_pool_hits_total"), 1)
            self.assertEqual(self.shell(server, session, "echo x"), (0, "x\n"))
            server.kill()
            until(lambda: not processes_of(self.data), "all of them ended")
            server.start()
            row = server.call("GET", f"/api/v1/sessions/{session}")[1]
            self.assertEqual((row["status"], row["error"]["code"]), ("failed", "backend_error"), row)
            self.assertIn("srt", row["error"]["message"])  # at once, and why
        self.expect_nothing_left()

    def test_a_data_folder_with_a_long_path(self):
        names = Names()
        self.addCleanup(names.server_close)
        self.addCleanup(names.shutdown)
        with self.serve({"network": {"allowedDomains": ["good.test"]}}, data="long-" * 20,
                        settings={"network": {"parentProxy": {"http": names.address}}}) as server:
            session = server.session()
            self.assertEqual(self.shell(server, session, f"python3 -c '{FETCH}' http://good.test/")[0], 0)
            [sandbox] = os.listdir(self.sandboxes)
            sockets = lambda: list(pathlib.Path("/tmp").glob(f"atoll-srt-run-*/{sandbox}"))
            self.assertEqual(len(sockets()), 1)
            server.kill()
            server.start()
            self.expect_nothing_left()
            until(lambda: not sockets(), "no socket of the sandbox")

    def test_the_guest_is_out_of_reach(self):
        with self.serve() as server:
            session = server.session()
            kill = ("import os\nfor pid in (-1, os.getppid(), -os.getppid()):\n  for n in (15, 9):\n"
                    "    try: os.kill(pid, n)\n    except OSError: pass")
            server.execute(session, command=["python3", "-c", kill])
            starve = "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))"
            done = server.execute(session, command=["python3", "-c", starve])
            self.assertIn("PermissionError", done["stderr"])
            self.assertEqual(self.shell(server, session, "echo well"), (0, "well\n"))

    @unittest.skipUnless(support.IS_ROOT, "only root can hand over a control group")
    def test_limits(self):
        with self.serve() as server:
            session = server.session()
            isolation = server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]
            for limit in ("memory_limit", "cpu_limit", "pids_limit"):
                self.assertIn(limit, isolation["layers"])
            done = server.execute(session, command=["python3", "-c", "b'x' * (1 << 30)"])
            self.assertEqual(done["exit_code"], 137, done)
            forks = "import os, time\nfor n in range(300):\n  if os.fork() == 0: time.sleep(1000)"
            done = server.execute(session, command=["python3", "-c", forks])
            self.assertIn("BlockingIOError", done["stderr"])
            usage = server.call("GET", f"/api/v1/sessions/{session}/usage")[1]
            self.assertEqual(usage["memory_limit_mb"], 512)
            [sandbox] = os.listdir(self.sandboxes)
            groups = lambda: [group for group in cgroups.named(sandbox) if group.parent.name.startswith("srt-")]
            self.assertTrue(groups())
            server.kill()
            until(lambda: not processes_of(self.data), "the sandbox ended")
            server.start()
            until(lambda: not groups(), "no control group of the sandbox")

    def test_kill_of_the_server(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        server = self.serve({"filesystem": {"allowWrite": [str(shared)], "denyWrite": [f"{shared}/absent"]}})
        session = server.session()
        server.call("POST", f"/api/v1/sessions/{session}/execute", {"command": "setsid sleep 1000 & sleep 1000"})
        until(lambda: len(processes_of(self.data)) > 3, "it runs")
        server.kill()
        # The sandbox ends with the stream, and srt takes its own files along.
        until(lambda: not processes_of(self.data), "the sandbox ended")
        self.assertEqual(os.listdir(shared), [])
        [folder] = self.sandboxes.iterdir()
        self.assertEqual(os.listdir(folder / "r"), [])
        server.start()
        self.assertEqual(server.call("GET", f"/api/v1/sessions/{session}")[1]["status"], "failed")
        self.expect_nothing_left()
        fresh = server.session()
        self.assertEqual(self.shell(server, fresh, "echo again"), (0, "again\n"))
        server.stop()
        self.expect_nothing_left()

    def test_kill_of_the_server_and_of_srt(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        server = self.serve({"filesystem": {"allowWrite": [str(shared)], "denyWrite": [f"{shared}/absent", f"{shared}/deep/er/absent"]}})
        server.session()
        os.kill(server.process.pid, signal.SIGSTOP)  # it shall not notice
        for pid in processes_of(self.data):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        server.kill()
        self.assertEqual(sorted(os.listdir(shared)), ["absent", "deep"])  # what srt did not get to remove
        server.start()
        end = time.monotonic() + 60  # in the background
        while os.listdir(shared) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(os.listdir(shared), [])
        server.stop()
        self.expect_nothing_left()

    def test_the_data_folder_is_nobodys_to_write(self):
        for path in (self.folder / "data", self.folder, self.folder / "data/sandboxes"):
            with self.subTest(path), self.serve({"filesystem": {"allowWrite": [str(path)]}}) as server:
                status, problem = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
                self.assertIn("policy_unsupported", json.dumps(problem), status)
                self.assertIn(str(path), json.dumps(problem))

    def test_srt_killed_from_outside(self):
        with self.serve() as server:
            session = server.session()
            for pid in processes_of(self.data):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            done = server.execute(session, command="echo x")
            self.assertNotEqual(done.get("state"), "completed", done)
            until(lambda: server.call("GET", f"/api/v1/sessions/{session}")[1]["status"] == "failed", "it is told")
            server.call("DELETE", f"/api/v1/sessions/{session}")
            until(lambda: not os.listdir(self.sandboxes), "the sandbox's folder removed")
            self.expect_nothing_left()
            self.assertEqual(self.shell(server, server.session(), "echo y"), (0, "y\n"))


class Documents(SrtCase):
    def test_configurations_of_the_documents(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        found = 0
        for page in ("README.md", "docs/backends.md"):
            for text in re.findall(r"^```json\n(.*?)^```$", (root / page).read_text(), re.MULTILINE | re.DOTALL):
                if '"backend": "srt"' in text:
                    self.expect(support.atoll("config", "check", self.file("srt.json", text)))
                    found += 1
                    with self.serve({**json.loads(text)["sandbox"], "backends": {}}, data=f"data{found}") as server:
                        self.assertEqual(self.shell(server, server.session(), "echo x"), (0, "x\n"))
        self.assertEqual(found, 2)

    def test_commands_of_the_documents(self):
        self.expect(support.atoll("backends", "install", "srt"))
        self.assertEqual(self.expect(support.run("--backend", "srt", "--", "echo", "hello")).out, "hello\n")


class BadInput(SrtCase):
    def expect_failure(self, outcome, error_code, exit_code=125):
        # Its log comes before the sentence.
        outcome.err = outcome.err[max(0, outcome.err.find("atoll: ")):]
        return super().expect_failure(outcome, error_code, exit_code)

    def start_failure(self, **options):
        environment = options.pop("env", {})
        base = options.pop("settings", None)
        words = ["--set", f"sandbox.backends.srt.settingsPath={self.file('srt.json', base)}"] if base else []
        return support.atoll("serve", "--listen", "127.0.0.1:0", "--no-auth", "--backend", "srt", "--data",
                             self.folder / "data", *words, env=environment, timeout=60)

    def test_srt_is_missing(self):
        missing = {"ATOLL_SRT_FOLDER": str(self.folder / "nothing")}
        failure = self.expect_failure(self.start_failure(env=missing), "host_unsupported")
        self.assertIn("atoll backends install srt", failure.err)
        run = self.expect_failure(support.run("--backend", "srt", "--", "true", env=missing), "host_unsupported")
        self.assertIn("atoll backends install srt", run.err)
        table = support.atoll("backends", env=missing).out
        self.assertRegex(table, r"(?m)^srt +beta +namespaces +no: srt 0\.0\.83 is missing")

    def test_programs_are_missing(self):
        failure = self.expect_failure(self.start_failure(env={"PATH": str(self.folder)}), "host_unsupported")
        self.assertIn("apt-get install bubblewrap socat ripgrep", failure.err)

    def test_npm_is_missing(self):
        empty = {"PATH": str(self.folder), "ATOLL_SRT_FOLDER": str(self.folder / "srt")}
        failure = self.expect_failure(support.atoll("backends", "install", "srt", env=empty), "host_unsupported")
        self.assertIn("npm is missing", failure.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_node_is_too_old(self):
        folder = self.folder / "srt"
        script = folder / "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js"
        script.parent.mkdir(parents=True)
        script.touch()
        # Says what an old one says, and for the question of its age that it is.
        self.file("srt/node", "#!/bin/sh\nprintf 'SyntaxError: no\\n\\nNode.js v18.19.0\\n' >&2\nexit 1\n", mode=0o755)
        old = {"ATOLL_SRT_FOLDER": str(folder)}
        failure = self.expect_failure(support.run("--backend", "srt", "-q", "--", "true", env=old), "backend_error")
        self.assertIn("Node 22.12", failure.err)
        self.assertIn("atoll backends install srt", failure.err)
        # So the install goes about it, and needs npm for that.
        self.expect_failure(support.atoll("backends", "install", "srt", env={**old, "PATH": str(self.folder)}), "host_unsupported")

    def test_wrong_settings(self):
        self.expect_failure(self.start_failure(settings="{"), "invalid_argument")
        self.expect_failure(self.start_failure(settings='{"network": []}'), "invalid_argument")
        self.expect_failure(self.start_failure(settings='{"filesystem": {"disabled": true}}'), "policy_unsupported")

    def test_srt_refuses_its_settings(self):
        with self.serve(settings={"network": {"httpProxyPort": "no number"}}) as server:
            status, session = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            text = json.dumps(session)
            self.assertIn("httpProxyPort", text, (status, session))
            self.assertEqual(os.listdir(self.sandboxes), [])

    def test_one_run(self):
        outcome = support.run("--backend", "srt", "--", "sh", "-c", "echo x > f; cat f; exit 3")
        self.assertEqual((outcome.code, outcome.out), (3, "x\n"), outcome)
        self.expect_failure(support.run("--backend", "srt", "--disk", "50m", "--", "true"), "limit_unenforceable")


if __name__ == "__main__":
    unittest.main()
