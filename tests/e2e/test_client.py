"""The commands that talk to a server: create, ps, exec, shell, cp, logs, rm, template."""
import http.server
import json
import os
import signal
import subprocess
import tempfile
import threading

import support
from server import Server
from support import ATOLL, atoll
from test_terminal import Terminal

DEADLINE = 30


class ServerCase(support.Case):
    """All tests of a class share one server, which ATOLL_SERVER and ATOLL_KEY name."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="atoll-client-")
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.socket = f"{folder.name}/data/api.sock"
        cls.server = Server(folder.name + "/data", "--set", f"server.unix_socket={cls.socket}")
        cls.addClassCleanup(lambda: cls.server.process.poll() is None and cls.server.stop())
        cls.key = atoll("key", "create", "--data", cls.server.data, "--role", "admin").out.strip()
        os.environ.update(ATOLL_SERVER=cls.server.base, ATOLL_KEY=cls.key)
        cls.addClassCleanup(lambda: [os.environ.pop(name) for name in ("ATOLL_SERVER", "ATOLL_KEY")])

    def api(self, method, path, body=None):
        return self.server.call(method, "/api/v1" + path, body, {"X-API-Key": self.key})

    def session(self, *options):
        made = self.expect(atoll("create", *options))
        self.assertRegex(made.out, r"^[0-9a-z]{26}\n$")
        session = made.out.strip()
        self.addCleanup(lambda: self.api("DELETE", f"/sessions/{session}"))
        return session

    def inside(self, session, command):
        return self.expect(atoll("exec", session, "--", "sh", "-c", command)).out

    def start(self, *words, **more):
        process = subprocess.Popen([ATOLL, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **more)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process


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

    def test_one_that_is_missing_does_not_keep_the_others(self):
        one = self.session("shell-default")
        gone = self.expect_failure(atoll("rm", "0" * 26, one), "session_not_found")
        self.assertEqual(gone.out, f"{one}\n")

    # covers: atoll ps
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

    def test_a_unix_socket(self):
        one = self.session("shell-default")
        self.assertIn(one, self.expect(atoll("ps", "-q", "--server", f"unix://{self.socket}")).out)


class WrongServers(ServerCase):
    # covers: C30
    def test_nobody_answers(self):
        for server in ("http://127.0.0.1:1", "unix:///no/such.sock"):
            for words in (["ps"], ["create"], ["exec", "x", "true"], ["cp", "a", "x:"], ["logs", "x"], ["rm", "x"]):
                refused = self.expect_failure(atoll(*words, env={"ATOLL_SERVER": server}), "io_error")
                self.assertIn(f"no server answers at {server}", refused.err)
                self.assertEqual(refused.err.count("\n"), 1)

    def test_no_address(self):
        self.expect_failure(atoll("ps", "--server", "localhost:8080"), "invalid_argument")
        self.expect_failure(atoll("ps", "--server", "http://a/b/c"), "invalid_argument")

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
        for command in ("create", "ps", "exec", "shell", "cp", "logs", "rm", "template"):
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
        self.expect_failure(self.exec("--timeout", "200ms", "sleep", "60"), "exec_timeout", 124)
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

    def test_stdin(self):
        data = os.urandom(1 << 20)
        self.assertEqual(self.exec("-i", "cat", stdin=data).raw_out, data)
        self.expect(self.exec("cat", stdin="not passed on"), 0, "")
        self.expect(self.exec("-i", "--", "head", "-c", "1", stdin=b"x" * (1 << 20)), 0, "x")

    def test_output_comes_while_it_runs(self):
        process = self.start("exec", self.box, "-i", "--", "sh", "-c", "echo one; read line; echo two $line")
        self.assertEqual(process.stdout.readline(), b"one\n")
        out, _ = process.communicate(b"three\n", DEADLINE)
        self.assertEqual((out, process.returncode), (b"two three\n", 0))

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

    def test_a_second_ctrl_c_leaves_at_once(self):
        process = self.start("exec", self.box, "--", "sh", "-c", "trap '' INT; echo ready; while :; do sleep 0.05; done")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # of two that wait, the lower number comes first
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

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


class Copies(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box = atoll("create", "shell-default", "--timeout", "10m").out.strip()

    def cp(self, *words, **more):
        return atoll("cp", *words, cwd=self.folder, **more)

    def hidden(self):
        return [path.name for path in self.folder.rglob(".*")]

    # covers: atoll cp
    def test_a_file_there_and_back(self):
        data = os.urandom(3 << 20)
        self.file("a b.bin", data, 0o755)
        self.expect(self.cp("a b.bin", f"{self.box}:"), 0, "", "")
        self.assertEqual(self.inside(self.box, "stat -c '%a %s' 'a b.bin'"), "755 3145728\n")
        self.expect(self.cp(f"{self.box}:a b.bin", "back"))
        self.assertEqual((self.folder / "back").read_bytes(), data)
        self.assertEqual((self.folder / "back").stat().st_mode & 0o700, 0o700)
        self.expect(self.cp("back", f"{self.box}:/tmp/deep/er/x"))
        self.expect(self.cp(f"{self.box}:/tmp/deep/er/x", "."))
        self.assertEqual((self.folder / "x").read_bytes(), data)
        self.assertEqual(self.hidden(), [])

    def test_streams(self):
        self.expect(self.cp("-", f"{self.box}:in.txt", stdin="from a pipe"))
        self.expect(self.cp(f"{self.box}:in.txt", "-"), 0, "from a pipe")
        self.expect_failure(self.cp("-", f"{self.box}:"), "invalid_argument")
        self.expect_failure(self.cp("-", f"{self.box}:/tmp", stdin="x"), "invalid_argument")

    # covers: atoll cp
    def test_folders(self):
        for name in ("src/a.py", "src/d/b.py"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            self.file(name, name)
        (self.folder / "src/link").symlink_to("a.py")
        (self.folder / "src/empty").mkdir()
        sent = self.expect(self.cp("src", f"{self.box}:tree"))
        self.assertIn("1 links", sent.err)
        self.assertIn("1 empty folders", sent.err)
        self.expect(self.cp("src", f"{self.box}:tree"))  # exists now: goes into it
        self.expect(self.cp("src/.", f"{self.box}:/tmp/all"))
        self.assertEqual(self.inside(self.box, "find tree /tmp/all -type f | sort"),
                         "/tmp/all/a.py\n/tmp/all/d/b.py\ntree/a.py\ntree/d/b.py\ntree/src/a.py\ntree/src/d/b.py\n")
        self.inside(self.box, "cd tree; mkdir none; ln -s a.py good; ln -s /etc/passwd bad; chmod 700 d/b.py")
        got = self.expect(self.cp(f"{self.box}:tree", "."))
        self.assertIn("1 links that lead out", got.err)
        tree = self.folder / "tree"
        self.assertEqual(sorted(str(path.relative_to(tree)) for path in tree.rglob("*")),
                         ["a.py", "d", "d/b.py", "good", "none", "src", "src/a.py", "src/d", "src/d/b.py"])
        self.assertEqual((tree / "d/b.py").stat().st_mode & 0o777, 0o700)
        self.assertEqual((tree / "good").read_text(), "src/a.py")
        self.expect_failure(self.cp(f"{self.box}:tree", "."), "already_exists")
        self.expect(self.cp(f"{self.box}:tree", "other"))
        archive = self.cp(f"{self.box}:tree", "-").raw_out
        self.assertIn(b"src/d/b.py", subprocess.run(["tar", "t"], input=archive, capture_output=True, check=True).stdout)
        self.assertEqual(self.hidden(), [])

    def test_what_is_not_there(self):
        self.expect_failure(self.cp("none", f"{self.box}:"), "not_found")
        self.expect_failure(self.cp(f"{self.box}:none", "."), "not_found")
        self.expect_failure(self.cp(f"{self.box}:none", "no/folder/"), "not_found")
        self.expect_failure(self.cp("/dev/null", f"{self.box}:x"), "invalid_argument")
        self.file("a", "x")
        self.expect_failure(self.cp("a", f"{self.box}:../../etc/x"), "invalid_argument")
        self.assertEqual(self.hidden(), [])

    def test_an_upload_that_is_cut_leaves_nothing(self):
        process = self.start("cp", "-", f"{self.box}:cut")
        process.stdin.write(b"x" * (4 << 20))  # more than any pipe holds: it is on its way
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual(self.inside(self.box, "ls -A | grep cut || true"), "")


class Half(http.server.BaseHTTPRequestHandler):
    """A server that sends a part of a file and waits for the test."""
    seen = threading.Event()  # the bar is there
    whole = True

    def do_GET(self):
        if "/files/" not in self.path:
            body = json.dumps({"id": "a" * 26}).encode()
            self.send_response(200)
            self.send_header("content-length", len(body))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("content-length", 1000)
        self.end_headers()
        sent = 1
        self.wfile.write(b"x")
        while self.whole and not self.seen.wait(0.1) and sent < 900:
            self.wfile.write(b"x")
            sent += 1
        self.wfile.write(b"x" * ((1000 if self.whole else 500) - sent))
        self.close_connection = True

    def log_message(self, *_):
        pass


class BrokenTransfers(support.Case):
    def setUp(self):
        super().setUp()
        Half.seen.clear()
        Half.whole = True
        self.half = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Half)
        threading.Thread(target=self.half.serve_forever, daemon=True).start()
        self.addCleanup(self.half.server_close)
        self.addCleanup(self.half.shutdown)
        self.url = f"http://127.0.0.1:{self.half.server_port}"

    def test_a_download_that_is_cut_leaves_nothing(self):
        Half.whole = False
        self.file("x", "old")
        self.expect_failure(atoll("cp", "--server", self.url, "a" * 26 + ":x", "x", cwd=self.folder), "io_error")
        self.assertEqual([(path.name, path.read_text()) for path in self.folder.iterdir()], [("x", "old")])

    def test_a_bar_on_a_terminal_only(self):
        Half.seen.set()
        quiet = self.expect(atoll("cp", "--server", self.url, "a" * 26 + ":x", "x", cwd=self.folder))
        self.assertEqual(quiet.err, "")
        Half.seen.clear()
        terminal = Terminal("--server", self.url, "a" * 26 + ":x", str(self.folder / "y"), command="cp")
        terminal.expect("getting x  [")
        Half.seen.set()
        self.assertEqual(terminal.end(), (0, True))
        self.assertEqual((self.folder / "y").stat().st_size, 1000)


class Shells(ServerCase):
    def finish(self, terminal, code):
        self.assertEqual(terminal.end(), (code, True), terminal.seen)

    # covers: atoll shell
    def test_a_shell(self):
        terminal = Terminal(self.session("shell-default"), command="shell")
        terminal.type("tty; stty size; pwd\n")
        terminal.expect("/dev/pts/")
        terminal.expect("30 100")
        terminal.expect("/workspace")
        terminal.resize(41, 77)
        terminal.type("until stty size | grep '41 77'; do sleep 0.05; done\n")
        terminal.expect("41 77\r\n")
        terminal.type("sh -c 'trap \"echo cau\"\"ght; exit\" INT; echo rea\"\"dy; while :; do sleep 0.05; done'\n")
        terminal.expect("ready")
        terminal.type("\x03")
        terminal.expect("caught")
        terminal.type("exit 5\n")
        self.finish(terminal, 5)

    def test_another_program(self):
        terminal = Terminal(self.session(), "-c", "python3 -q", "-w", "/tmp", command="shell")
        terminal.expect(">>> ")
        terminal.type("import os; print(os.getcwd() + '!')\n")
        terminal.expect("/tmp!")
        terminal.type("\x04")
        self.finish(terminal, 0)

    def test_a_signal(self):
        terminal = Terminal(self.session("shell-default"), "-c", "echo rea''dy; sleep 60", command="shell")
        terminal.expect("ready")
        terminal.process.send_signal(signal.SIGTERM)
        self.finish(terminal, 128 + signal.SIGTERM)

    def test_without_a_terminal(self):
        refused = self.expect_failure(atoll("shell", self.session("shell-default")), "invalid_argument")
        self.assertIn("exec -i", refused.err)

    def test_a_session_that_has_ended(self):
        session = self.session("shell-default")
        self.expect(atoll("rm", session))
        terminal = Terminal(session, command="shell")
        terminal.expect("terminated")
        self.finish(terminal, 125)


class KilledServers(ServerCase):
    def test_terminals_and_logs(self):
        session = self.session("shell-default", "--timeout", "10m")
        terminal = Terminal(session, "-c", "echo rea''dy; sleep 60", command="shell")
        terminal.expect("ready")
        made = self.expect(atoll("exec", session, "-d", "--", "sh", "-c", "echo before; sleep 60")).out.strip()
        follower = self.start("logs", "-f", made, "--server", f"unix://{self.socket}")
        self.assertEqual(follower.stdout.readline(), b"before\n")
        self.server.kill()
        terminal.expect("atoll")
        self.assertEqual(terminal.end(), (125, True))
        self.server.start()
        os.environ["ATOLL_SERVER"] = self.server.base
        out, err = follower.communicate(timeout=DEADLINE)
        self.assertEqual((out, follower.returncode), (b"", 0), err)
        self.assertIn(b"it failed", err)
        self.expect(atoll("exec", session, "--", "echo", "still here"), 0, "still here\n")


if __name__ == "__main__":
    support.main()
