"""atoll cp and atoll shell, and what is left when they are cut off."""
import http.server
import json
import os
import signal
import subprocess
import threading

import support
from client_case import DEADLINE, ServerCase
from support import atoll
from test_terminal import Terminal


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

    # covers: atoll cp
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
        (self.folder / "src/d/link").symlink_to("../a.py")
        (self.folder / "src/out").symlink_to("../../etc")
        (self.folder / "src/empty").mkdir()
        sent = self.expect(self.cp("src", f"{self.box}:tree"))
        self.assertIn("1 links that lead out", sent.err)
        self.assertEqual(self.inside(self.box, "readlink tree/d/link; cat tree/d/link; ls tree"), "../a.py\nsrc/a.pya.py\nd\n")
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
                         ["a.py", "d", "d/b.py", "d/link", "good", "none", "src", "src/a.py", "src/d", "src/d/b.py", "src/d/link"])
        self.assertEqual((tree / "d/b.py").stat().st_mode & 0o777, 0o700)
        self.assertEqual((tree / "good").read_text(), "src/a.py")
        self.expect_failure(self.cp(f"{self.box}:tree", "."), "already_exists")
        self.expect(self.cp(f"{self.box}:tree", "other"))
        archive = self.cp(f"{self.box}:tree", "-").raw_out
        self.assertIn(b"src/d/b.py", subprocess.run(["tar", "t"], input=archive, capture_output=True, check=True).stdout)
        self.assertEqual(self.hidden(), [])

    # covers: atoll cp
    def test_what_is_not_there(self):
        self.expect_failure(self.cp("none", f"{self.box}:"), "not_found")
        self.expect_failure(self.cp(f"{self.box}:none", "."), "not_found")
        self.expect_failure(self.cp(f"{self.box}:none", "no/folder/"), "not_found")
        self.expect_failure(self.cp("/dev/null", f"{self.box}:x"), "invalid_argument")
        self.file("a", "x")
        self.expect_failure(self.cp("a", f"{self.box}:../../etc/x"), "invalid_argument")
        self.assertEqual(self.hidden(), [])

    def requests(self, operation):
        figures = self.api("GET", "/metrics")[1].decode()
        return sum(float(line.split()[-1]) for line in figures.splitlines()
                   if line.startswith("api_requests_total{") and f'operation="{operation}"' in line)

    # covers: atoll cp
    def test_many_files_are_few_requests(self):
        for number in range(120):
            mode = 0o755 if number % 3 == 0 else 0o644
            self.file(f"{number}", f"content of {number}\n" * number, mode)
        self.file('odd "name" ü;', "odd")
        before = self.requests("uploadFiles"), self.requests("putFile")
        self.expect(self.cp(".", f"{self.box}:many"))
        self.assertEqual((self.requests("uploadFiles") - before[0], self.requests("putFile") - before[1]), (2, 0))
        self.expect(self.cp(f"{self.box}:many", "back"))
        for path in self.folder.iterdir():
            if path.is_file():
                copy = self.folder / "back" / path.name
                self.assertEqual((copy.read_bytes(), copy.stat().st_mode), (path.read_bytes(), path.stat().st_mode))

    # covers: atoll cp
    def test_an_upload_that_is_cut_leaves_nothing(self):
        process = self.start("cp", "-", f"{self.box}:cut")
        process.stdin.write(b"x" * (4 << 20))  # more than any pipe holds: it is on its way
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertNotIn("cut", self.inside(self.box, "ls -A"))


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

    # covers: atoll cp
    def test_a_download_that_is_cut_leaves_nothing(self):
        Half.whole = False
        self.file("x", "old")
        self.expect_failure(atoll("cp", "--server", self.url, "a" * 26 + ":x", "x", cwd=self.folder), "io_error")
        self.assertEqual([(path.name, path.read_text()) for path in self.folder.iterdir()], [("x", "old")])

    # covers: atoll cp
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

    # covers: atoll shell
    def test_another_program(self):
        terminal = Terminal(self.session(), "-c", "python3 -q", "-w", "/tmp", command="shell")
        terminal.expect(">>> ")
        terminal.type("import os; print(os.getcwd() + '!')\n")
        terminal.expect("/tmp!")
        terminal.expect(">>> ")  # the next line is read: before, the terminal would take the end for itself
        terminal.type("\x04")
        self.finish(terminal, 0)

    # covers: atoll shell
    def test_a_signal(self):
        terminal = Terminal(self.session("shell-default"), "-c", "echo rea''dy; sleep 60", command="shell")
        terminal.expect("ready")
        terminal.process.send_signal(signal.SIGTERM)
        self.finish(terminal, 128 + signal.SIGTERM)

    # covers: atoll shell
    def test_without_a_terminal(self):
        refused = self.expect_failure(atoll("shell", self.session("shell-default")), "invalid_argument")
        self.assertIn("exec -i", refused.err)

    # covers: atoll shell
    def test_a_session_that_has_ended(self):
        session = self.session("shell-default")
        self.expect(atoll("rm", session))
        terminal = Terminal(session, command="shell")
        terminal.expect("terminated")
        self.finish(terminal, 125)


class KilledServers(ServerCase):
    # covers: atoll shell, atoll logs
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
