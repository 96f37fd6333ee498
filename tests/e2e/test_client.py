"""The commands that talk to a server: create, ps, exec, logs, rm, template, and wrong servers."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import support
from client_case import DEADLINE, ServerCase
from support import ATOLL, atoll
from test_terminal import Terminal

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Sessions(ServerCase):
    # covers: atoll create, atoll ps, atoll rm
    def test_create_ps_and_rm(self):
        one = self.session("shell-default", "--label", "purpose=ps", "--timeout", "10m")
        two = self.session("--label", "purpose=ps", "--label", "n=2")
        self.expect(atoll("ps", "-q", "--label", "purpose=ps"), out=f"{two}\n{one}\n")
        self.expect(atoll("ps", "-q", "--label", "purpose=ps", "--template", "shell-default"), out=f"{one}\n")
        table = self.expect(atoll("ps", "--label", "purpose=ps")).out.splitlines()
        self.assertRegex(table[0], r"^ID +TEMPLATE +STATUS +AGE +LEFT +LABELS$")
        self.assertRegex(table[1], rf"^{two}  python-default  ready +\d+s +[45]m +n=2 purpose=ps$")
        self.assertRegex(table[2], rf"^{one}  shell-default   ready +\d+s +(9|10)m +purpose=ps$")
        body = json.loads(self.expect(atoll("ps", "-o", "json", "--label", "n=2")).out)
        self.assertEqual(body, self.api("GET", "/sessions?label=n%3D2")[1])
        self.assertIn(f"sessions:\n- id: \"{two}\"\n", atoll("ps", "-o", "yaml", "--label", "n=2").out)
        limited = self.expect(atoll("ps", "--label", "purpose=ps", "--limit", "1"))
        self.assertIn("there are more", limited.err)
        self.expect(atoll("rm", one, two), out=f"{one}\n{two}\n")
        self.expect(atoll("ps", "-q", "--label", "purpose=ps"), out="")
        self.assertIn("terminated", atoll("ps", "-a", "--label", "n=2").out)
        self.expect(atoll("ps", "-q", "--label", "purpose=ps", "--status", "terminated,failed"), out=f"{two}\n{one}\n")

    # covers: atoll create
    def test_create_says_what_was_asked(self):
        made = self.expect(atoll("create", "-e", "A=1", "-e", "FROM_HERE", "-e", "NOT_SET", "--memory", "128m",
                                 "--cpus", "0.25", "--pids", "50", "--idle-timeout", "1m", "-o", "json",
                                 env={"FROM_HERE": "x"}))
        session = json.loads(made.out)
        self.addCleanup(lambda: self.api("DELETE", f"/sessions/{session['id']}"))
        config = session["config"]
        self.assertEqual(config["environment"], {"A": "1", "FROM_HERE": "x"})
        self.assertEqual((config["idle_timeout_seconds"], config["resources"]["memory"], config["resources"]["cpu"],
                          config["resources"]["pids"]), (60, 128, 0.25, 50))
        keyed = [self.session("--session-key", "the-same"), self.session("--session-key", "the-same", "--no-wait")]
        self.assertEqual(keyed[0], keyed[1])

    # covers: atoll create
    def test_create_on_a_terminal_shows_a_table(self):
        terminal = Terminal("shell-default", "--label", "t=1", command="create")
        terminal.expect("shell-default")
        self.assertEqual(terminal.end(), (0, True))
        self.expect(atoll("rm", "--all", "--label", "t=1", "--yes"))

    # covers: atoll rm
    def test_rm_asks(self):
        one = self.session("shell-default", "--label", "rm=1")
        words = ("--all", "--label", "rm=1")
        self.expect_failure(atoll("rm", *words), "invalid_argument")
        terminal = Terminal(*words, command="rm")
        terminal.expect("Remove 1 session? [y/N]")
        terminal.type("n\n")
        self.assertEqual(terminal.end(), (125, True))
        terminal = Terminal(*words, command="rm")
        terminal.expect("Remove 1 session? [y/N]")
        terminal.type("y\n")
        terminal.expect(one)
        self.assertEqual(terminal.end(), (0, True))
        self.expect(atoll("rm", *words, "--yes"), out="")

    # covers: atoll rm
    def test_one_that_is_missing_does_not_keep_the_others(self):
        one = self.session("shell-default")
        gone = self.expect_failure(atoll("rm", "0" * 26, one), "session_not_found")
        self.assertEqual(gone.out, f"{one}\n")

    # covers: atoll exec
    def test_prefixes(self):
        one, two = self.session("shell-default"), self.session("shell-default")
        common = os.path.commonprefix([one, two])
        self.expect(atoll("exec", two[:len(common) + 1], "--", "echo", "hi"), out="hi\n")
        refused = self.expect_failure(atoll("exec", common, "--", "true"), "invalid_argument")
        self.assertIn(one, refused.err)
        self.assertIn(two, refused.err)
        for typed in ("zzz", "no/such", "UPPER", ""):
            self.expect_failure(atoll("exec", typed, "--", "true"), "not_found")
        self.expect_failure(atoll("exec", "z" * 26, "--", "true"), "session_not_found")

    # covers: atoll template
    def test_templates(self):
        self.assertRegex(self.expect(atoll("template", "ls")).out, r"(?m)^python-default +python +host .* yes$")
        shown = self.expect(atoll("template", "show", "shell-default")).out
        self.assertIn("id: shell-default\n", shown)
        body = json.loads(self.expect(atoll("template", "show", "shell-default", "-o", "json")).out)
        self.assertEqual(body, self.api("GET", "/templates/shell-default")[1])
        document = {"id": "mine", "language": "bash", "resources": {"memory": 64}}
        self.expect(atoll("template", "create", "-", stdin=json.dumps(document)), out="mine\n")
        file = self.file("t.json", json.dumps({**document, "description": "two"}))
        self.expect_failure(atoll("template", "create", file), "already_exists")
        self.expect(atoll("template", "create", "--replace", file), out="mine\n")
        self.assertIn("description: two\n", atoll("template", "show", "mine").out)
        self.expect(atoll("template", "rm", "mine"), out="mine\n")
        self.expect_failure(atoll("template", "rm", "mine"), "not_found")
        self.expect_failure(atoll("template", "create", "-", stdin="{"), "invalid_argument")
        refused = self.expect_failure(atoll("template", "create", "-", stdin='{"id": "x", "memry": 1}'), "invalid_argument")
        self.assertIn("/memry", refused.err)
        self.assertIn("did you mean show?", atoll("template", "shwo").err)

    # covers: atoll secret
    def test_secrets(self):
        os.environ["SECRET_OF_TEST"] = "hunter2"
        self.addCleanup(os.environ.pop, "SECRET_OF_TEST")
        file = self.file("secret", "hunter2\n")
        self.expect(atoll("secret", "set", "a.b", "@env:SECRET_OF_TEST"), out="a.b\n")
        self.expect(atoll("secret", "set", "a.b", f"@file:{file}"), out="a.b\n")
        self.expect(atoll("secret", "set", "other", stdin="hunter2"), out="other\n")
        shown = self.expect(atoll("secret", "ls")).out
        self.assertRegex(shown, r"(?m)^a\.b +20\d\d-")
        body = self.expect(atoll("secret", "ls", "-o", "json")).out
        self.assertEqual(json.loads(body), self.api("GET", "/secrets")[1])
        self.assertNotIn("hunter2", shown + body)
        for words in (["set"], ["set", "x", "hunter2"], ["set", "x", "@env:NOT_SET_ANYWHERE"], ["set", "-", "y", "z"],
                      ["ls", "x"], ["rm"], []):
            refused = self.expect_failure(atoll("secret", *words, stdin="x"), "invalid_argument")
            self.assertNotIn("hunter2", refused.err)
        self.expect_failure(atoll("secret", "set", "a/b", stdin="x"), "invalid_value")
        self.assertIn("did you mean set?", atoll("secret", "ste", "x").err)
        self.expect(atoll("secret", "rm", "a.b", "other"), out="a.b\nother\n")
        self.expect_failure(atoll("secret", "rm", "a.b"), "not_found")

    # covers: atoll test
    def test_tests(self):
        code = self.file("solution.py", "def add(a, b):\n    return a + b\n")
        tests = self.file("t.py", "import solution\ndef test_add(): assert solution.add(1, 2) == 3\n")
        shown = self.expect(atoll("test", "--with", tests, "--coverage", code)).out
        self.assertRegex(shown, r"(?m)^passed +test_add ")
        self.assertIn("1 passed, 0 failed, 0 skipped\ncoverage: 2 of 2 lines\n", shown)
        cases = self.file("cases.json", json.dumps([{"expression": "add(1, 1)", "expected": 2}, {"expression": "add(1, 1)", "expected": 3}]))
        one = self.session("python-default")
        failed = atoll("test", "--cases", cases, "--session", one, "-o", "json", code)
        self.assertEqual((failed.code, json.loads(failed.out)["failures"][0]["name"]), (1, "case 2"), failed)
        self.assertEqual(self.inside(one, "cat code/solution.py"), "def add(a, b):\n    return a + b\n")
        self.expect_failure(atoll("test", code), "invalid_argument")

    def test_reflect(self):
        sys.path.insert(0, str(SOURCE / "examples/reflect"))
        self.addCleanup(sys.path.pop, 0)
        import reflect
        prompts, answers = [], iter(["def add(a, b): return a - b", "def add(a, b): return a + b"])

        def model(prompt):
            prompts.append(prompt)
            return next(answers)

        tests = "from solution import add\ndef test_add(): assert add(1, 2) == 3\n"
        code = reflect.solve(reflect.Atoll(self.server.base, self.key), model, "Add two numbers.", tests)
        self.assertEqual(code, "def add(a, b): return a + b")
        self.assertIn("test_add (failed): assert -1 == 3", prompts[1])

    # covers: atoll tenant
    def test_tenants(self):
        self.assertRegex(self.expect(atoll("tenant", "set", "acme", "sessions=3", "cpu=1.5")).out, r"(?m)^sessions +0 +3$")
        shown = json.loads(self.expect(atoll("tenant", "show", "acme", "-o", "json")).out)
        self.assertEqual(shown["quotas"], {"sessions": 3, "cpu": 1.5})
        self.expect(atoll("tenant", "set", "acme", "cpu=none"))
        self.assertEqual(self.api("GET", "/tenants/acme")[1]["quotas"], {"sessions": 3})
        self.assertIn("did you mean sessions?", self.expect_failure(atoll("tenant", "set", "acme", "sesions=1"), "invalid_argument").err)
        self.expect_failure(atoll("tenant", "set", "acme", "cpu=much"), "invalid_argument")

    # covers: atoll audit
    def test_audit(self):
        one = self.session("shell-default")
        self.inside(one, "true")
        self.assertRegex(self.expect(atoll("audit", "tail", "--session", one)).out, r"execution_ended ok .*\"exit_code\":0")
        self.assertRegex(self.expect(atoll("audit", "verify")).out, r"^ok: \d+ rows\n$")
        rows = self.expect(atoll("audit", "export")).out
        copy = self.file("audit.ndjson", rows)
        self.assertRegex(self.expect(atoll("audit", "verify", copy)).out, r"^ok: \d+ rows\n$")
        lines = rows.splitlines(keepends=True)
        for wrong in (lines[:1] + lines[2:], lines[1::-1] + lines[2:], lines[:-2] + lines[-1:], lines[:-1],
                      [lines[0].replace('"outcome":"ok"', '"outcome":"no"')] + lines[1:]):
            found = atoll("audit", "verify", self.file("wrong.ndjson", "".join(wrong)))
            self.assertEqual(found.code, 1, found)
            self.assertIn("broken at", found.out)
        self.expect_failure(atoll("audit", "trail"), "invalid_argument")

    # covers: atoll network
    def test_network(self):
        one = self.session("shell-default")
        self.assertIn("default: deny\n", self.expect(atoll("network", one[:-1])).out)
        body = json.loads(self.expect(atoll("network", one, "-o", "json")).out)
        self.assertEqual(body, self.api("GET", f"/sessions/{one}/network")[1])
        policy = self.file("p.json", json.dumps({"rules": [{"action": "deny", "target": "a.test"}]}))
        self.assertIn("target: a.test\n", self.expect(atoll("network", "--set", policy, one)).out)
        self.assertEqual(self.api("GET", f"/sessions/{one}")[1]["config"]["network"]["rules"][0]["target"], "a.test")
        self.expect(atoll("network", "--set", "-", one, stdin='{"default": "allow"}'))
        self.expect_failure(atoll("network", "--set", "-", one, stdin="{"), "invalid_argument")
        self.expect_failure(atoll("network"), "invalid_argument")
        self.assertEqual(self.api("GET", f"/sessions/{one}")[1]["config"]["network"]["default"], "allow")

    def test_a_unix_socket(self):
        one = self.session("shell-default")
        self.assertIn(one, self.expect(atoll("ps", "-q", "--server", f"unix://{self.socket}")).out)


class WrongServers(ServerCase):
    # covers: atoll ps, atoll create, atoll exec, atoll cp, atoll logs, atoll rm, C30
    def test_nobody_answers(self):
        for server in ("http://127.0.0.1:1", "unix:///no/such.sock"):
            for words in (["ps"], ["create"], ["exec", "x", "true"], ["cp", "a", "x:"], ["logs", "x"], ["rm", "x"]):
                refused = self.expect_failure(atoll(*words, env={"ATOLL_SERVER": server}), "io_error")
                self.assertIn(f"no server answers at {server}", refused.err)
                self.assertEqual(refused.err.count("\n"), 1)

    def test_no_address(self):
        self.expect_failure(atoll("ps", "--server", "localhost:8080"), "invalid_argument")
        self.expect_failure(atoll("ps", "--server", "http://a/b/c"), "invalid_argument")

    # covers: atoll ps, atoll create
    def test_wrong_keys(self):
        for env in ({"ATOLL_KEY": "no-such-key-at-all"}, {"ATOLL_KEY": ""}):
            refused = self.expect_failure(atoll("ps", env=env), "unauthenticated")
            self.assertIn("ATOLL_KEY", refused.err)
        self.expect(atoll("ps", "--key", self.key, env={"ATOLL_KEY": "wrong"}))
        reader = atoll("key", "create", "--data", self.server.data, "--role", "read-only").out.strip()
        self.expect(atoll("ps", "--key", reader))
        self.expect_failure(atoll("create", "--key", reader), "forbidden")

    def test_wrong_words(self):
        for words in (["ps", "x"], ["create", "a", "b"], ["exec"], ["shell"], ["logs"], ["logs", "a", "b"], ["rm"],
                      ["rm", "a", "--all"], ["rm", "a", "--template", "x"], ["cp", "a"], ["cp", "a", "b"],
                      ["cp", "x:a", "y:b"], ["template"], ["template", "show"], ["create", "--timeout", "1500ms"],
                      ["create", "--memory", "1k"], ["ps", "--limit", "0"], ["ps", "-o", "xml"], ["ps", "--statsu", "x"]):
            self.expect_failure(atoll(*words), "invalid_argument")
        self.expect_failure(atoll("create", "no-such-template"), "not_found")
        self.expect_failure(atoll("ps", "--status", "happy"), "invalid_argument")
        self.assertIn("did you mean exec?", atoll("exce").err)
        self.assertIn("--status", atoll("ps", "--statsu", "x").err)

    def test_help_teaches(self):
        for command in ("create", "ps", "exec", "shell", "cp", "logs", "rm", "template", "secret", "network"):
            shown = self.expect(atoll(command, "--help"))
            self.assertIn("Examples", shown.out)
            self.assertEqual(shown.out, atoll("help", command).out)
            self.assertIn(command, atoll("completion", "bash").out)


class Executions(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box = atoll("create", "--timeout", "10m").out.strip()

    def exec(self, *words, **more):
        return atoll("exec", self.box, *words, **more)

    # covers: atoll exec, C30
    def test_output_and_status(self):
        self.expect(self.exec("--", "sh", "-c", "echo out; echo err >&2; exit 3"), 3, "out\n", "err\n")
        self.expect(self.exec("true"), 0, "", "")
        self.expect(self.exec("--", "sh", "-c", "kill -9 $$"), 137)
        self.expect_failure(self.exec("no-such-program"), "program_not_found", 127)
        self.expect_failure(self.exec("/etc/passwd"), "program_not_executable", 126)
        self.expect_failure(self.exec("--timeout", "200ms", "sleep", "60"), "exec_timeout", 124)
        if support.IS_ROOT:
            self.expect(self.exec("--", "python3", "-c", "b'x' * (2 << 30)"), 137)
        self.assertEqual(self.exec("--", "head", "-c", "100000", "/dev/zero").raw_out, bytes(100000))
        self.assertEqual(self.exec("--", "printf", r"\377\376x").raw_out, b"\xff\xfex")
        self.expect(self.exec("-e", "A=b c", "-w", "/tmp", "--", "sh", "-c", "echo $A; pwd"), 0, "b c\n/tmp\n")

    # covers: atoll exec
    def test_code(self):
        self.expect(self.exec("-c", "print(6 * 7)"), 0, "42\n")
        self.expect(self.exec("-l", "bash", "echo $((1 + 1))"), 0, "2\n")
        self.expect(self.exec("-l", "python", "-", stdin="import sys\nsys.exit(4)"), 4, "")
        self.expect(self.exec("--context", "default", "-c", "x = 20"), 0, "")
        self.expect(self.exec("--context", "default", "x + 22"), 0, "42\n")
        failed = self.expect(self.exec("--context", "default", "1 / 0"), 1, "")
        self.assertIn("ZeroDivisionError", failed.err)
        for words in (["-l", "python"], ["-l", "python", "a", "b"], ["-c", "x", "y"], ["-l", "bash", "-i", "-"]):
            self.expect_failure(self.exec(*words), "invalid_argument")
        self.expect_failure(self.exec("-l", "cobol", "x"), "unsupported_language")

    # covers: atoll exec
    def test_stdin(self):
        data = os.urandom(1 << 20)
        self.assertEqual(self.exec("-i", "cat", stdin=data).raw_out, data)
        self.expect(self.exec("cat", stdin="not passed on"), 0, "")
        self.expect(self.exec("-i", "--", "head", "-c", "1", stdin=b"x" * (1 << 20)), 0, "x")

    # covers: atoll exec
    def test_output_comes_while_it_runs(self):
        process = self.start("exec", self.box, "-i", "--", "sh", "-c", "echo one; read line; echo two $line")
        self.assertEqual(process.stdout.readline(), b"one\n")
        out, _ = process.communicate(b"three\n", DEADLINE)
        self.assertEqual((out, process.returncode), (b"two three\n", 0))

    # covers: atoll exec
    def test_as_a_document(self):
        ran = self.expect(self.exec("-o", "json", "--", "sh", "-c", "echo a; exit 5"), 5)
        body = json.loads(ran.out)
        self.assertEqual((body["stdout"], body["exit_code"], body["state"]), ("a\n", 5, "failed"))
        self.assertEqual(body, self.api("GET", f"/executions/{body['execution_id']}")[1])
        self.assertIn("exit_code: 0\n", self.exec("-o", "yaml", "true").out)

    # covers: atoll exec
    def test_ctrl_c_interrupts(self):
        process = self.start("exec", self.box, "--", "sh", "-c",
                             "trap 'echo bye; exit 7' INT; echo ready; while :; do sleep 0.05; done")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((out, process.returncode), (b"bye\n", 7), err)
        last = self.api("GET", f"/sessions/{self.box}/results?limit=1")[1]["results"][0]
        self.assertEqual(last["state"], "cancelled")

    # covers: atoll exec
    def test_a_second_ctrl_c_leaves_at_once(self):
        process = self.start("exec", self.box, "--", "sh", "-c", "trap '' INT; echo ready; while :; do sleep 0.05; done")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # of two that wait, the lower number comes first
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    # covers: atoll exec
    def test_nobody_reads(self):
        ran = subprocess.run(["bash", "-c", '"$0" exec "$1" -- yes | head -1; echo ${PIPESTATUS[0]}', ATOLL, self.box],
                             capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(ran.stdout, b"y\n141\n", ran.stderr)

    # covers: atoll logs
    def test_logs(self):
        made = self.expect(self.exec("-d", "--", "sh", "-c", "echo out; echo err >&2; exit 3")).out.strip()
        self.expect(atoll("logs", "-f", made), 0, "out\n", "err\n")
        self.expect(atoll("logs", made), 0, "out\n", "err\n")
        self.expect(atoll("logs", self.box), 0, "out\n", "err\n")
        self.assertEqual(json.loads(atoll("logs", made, "-o", "json").out), self.api("GET", f"/executions/{made}")[1])
        self.expect(self.exec("--context", "default", "x = 6; x * 7"))
        self.expect(atoll("logs", self.box), 0, "42\n")
        self.expect_failure(atoll("logs", "0" * 26), "not_found")
        self.expect_failure(atoll("logs", self.session("shell-default")), "not_found")

    # covers: atoll logs
    def test_logs_of_what_still_runs(self):
        process = self.start("exec", self.box, "-i", "--", "sh", "-c", "echo one; read line; echo two")
        self.assertEqual(process.stdout.readline(), b"one\n")
        self.expect(atoll("logs", self.box), 0, "one\n")
        follower = self.start("logs", "-f", self.box)
        self.assertEqual(follower.stdout.readline(), b"one\n")
        process.communicate(b"\n", DEADLINE)
        self.assertEqual(follower.communicate(timeout=DEADLINE)[0], b"two\n")
        self.assertEqual(follower.returncode, 0)


if __name__ == "__main__":
    support.main()
