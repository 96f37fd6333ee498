"""`atoll mcp` with a server of its own: the entries of docs/quickstart/mcp.md, what it leaves behind, and what a client
gets when something dies."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from support_mcp import Refused, Sdk, clients

from server import Server, until
from support import ATOLL

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/quickstart/mcp.md"
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}


def setUpModule():
    clients.install()


def children_of(pid):
    """All below it, by name."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            found.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    below, todo = [], [pid]
    while todo:
        for child in found.get(todo.pop(), []):
            below.append(child)
            todo.append(child)
    return below


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Raw:
    """`atoll mcp` as a client starts it, and lines to it."""

    def __init__(self, folder, *words):
        self.folder = folder
        self.process = subprocess.Popen([ATOLL, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "TMPDIR": folder})

    def send(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line, "it ended"
        return json.loads(line)

    def ask(self, method, **params):
        self.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        while (answer := self.receive()).get("id") != method:
            pass
        return answer

    def call(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=arguments)

    def begin(self):
        self.send(HELLO)
        # Behind it at once, as scripts do.
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        answer = self.receive()
        assert answer["result"]["protocolVersion"] == "2025-11-25", answer
        return self

    def data_folders(self):
        return [name for name in os.listdir(self.folder) if name.startswith("atoll-mcp-")]

    def server(self):
        """The pid of its server."""
        found = [pid for pid in children_of(self.process.pid) if "atoll-server serve" in command_of(pid)]
        assert len(found) == 1, [command_of(pid) for pid in children_of(self.process.pid)]
        return found[0]

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


class OwnServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="atoll-mcp-test-")
        os.chmod(folder, 0o777)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.raw = Raw(folder)
        self.addCleanup(self.kill)

    def kill(self):
        if self.raw.process.poll() is None:
            self.raw.process.kill()
            self.raw.process.wait()
        for stream in (self.raw.process.stdin, self.raw.process.stdout):
            if not stream.closed:
                stream.close()

    def gone(self, pids):
        until(lambda: not any(alive(pid) for pid in pids), "processes were left behind")
        until(lambda: not self.raw.data_folders(), "the data folder was left behind")

    # covers: atoll mcp
    def test_it_ends_with_its_input(self):
        raw = self.raw.begin()
        self.assertEqual(raw.call("run_code", code="6 * 7")["result"]["content"][0]["text"], "42")
        self.assertEqual(len(raw.data_folders()), 1)
        below = children_of(raw.process.pid)
        self.assertEqual(raw.close(), 0)
        self.assertEqual(raw.data_folders(), [])
        self.gone(below)

    # covers: atoll mcp, atoll serve
    def test_killed_it_leaves_nothing_behind(self):
        raw = self.raw.begin()
        raw.call("run_command", command="sleep 1000", background=True)
        below = children_of(raw.process.pid)
        raw.process.kill()
        raw.process.wait()
        self.gone(below)

    def test_nobody_else_gets_in(self):
        raw = self.raw.begin()
        port = re.search(r"127\.0\.0\.1:(\d+)", raw.call("expose_port", port=8000)["result"]["content"][0]["text"] or "")
        server = raw.server()
        words = command_of(server).split()
        self.assertEqual(words[words.index("--listen") + 1], "127.0.0.1:0")
        self.assertNotIn("--no-auth", words)
        inodes = {os.readlink(f"/proc/{server}/fd/{fd}") for fd in os.listdir(f"/proc/{server}/fd")}
        ports = set()
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                address, number = fields[1].split(":")
                self.assertEqual(address, "0100007F")
                ports.add(int(number, 16))
        self.assertEqual(len(ports), 1, port)
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST",
                               f"http://127.0.0.1:{ports.pop()}/mcp"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "401")

    def test_a_server_that_dies_is_an_error_and_then_another_one(self):
        raw = self.raw.begin()
        first = raw.call("run_code", code="kept = 1")["result"]["structuredContent"]["data"]["sandbox_id"]
        raw.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                  "params": {"name": "run_command", "arguments": {"command": "echo on; sleep 1000"},
                             "_meta": {"progressToken": 1}}})
        self.assertEqual(raw.receive()["method"], "notifications/progress")
        os.kill(raw.server(), signal.SIGKILL)
        answer = raw.receive()
        self.assertEqual((answer["id"], answer["error"]["code"]), (5, -32603))
        again = raw.call("run_code", code="print('kept' in globals())")["result"]["structuredContent"]["data"]
        self.assertEqual(again["stdout"], "False\n")
        self.assertNotEqual(again["sandbox_id"], first)

    def test_bad_lines_get_their_errors(self):
        raw = self.raw.begin()
        raw.send("{")
        self.assertEqual(raw.receive()["error"]["code"], -32700)
        raw.send('{"jsonrpc":"2.0","id":1,"method":"none"}')
        self.assertEqual(raw.receive()["error"]["code"], -32601)
        raw.send("x" * (17 << 20))
        self.assertEqual(raw.receive()["error"]["code"], -32600)
        raw.send("")
        self.assertEqual(raw.ask("ping")["result"], {})

    def test_a_legacy_call_is_cancelled(self):
        raw = self.raw.begin()
        raw.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                  "params": {"name": "run_command", "arguments": {"command": "echo on; sleep 1000"},
                             "_meta": {"progressToken": 1}}})
        self.assertEqual(raw.receive()["method"], "notifications/progress")
        raw.send({"jsonrpc": "2.0", "id": 9, "method": "ping"})
        self.assertEqual(raw.receive()["error"]["code"], -32600)  # the id is in use
        raw.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
        until(lambda: not raw.call("sandbox_info")["result"]["structuredContent"]["data"]["running"], "it runs on")


class Entries(unittest.TestCase):
    def entries(self):
        found = []
        for text in re.findall(r"^```json\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
            document = json.loads(text)
            (servers,) = document.values()
            found.append(servers["atoll"])
        return found

    # covers: atoll mcp
    def test_every_entry_of_the_page_gives_a_client_its_tools(self):
        entries = self.entries()
        self.assertEqual(len(entries), 5)
        folder = tempfile.TemporaryDirectory(prefix="atoll-mcp-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        data = os.path.join(folder.name, "data")
        made = subprocess.run([ATOLL, "key", "create", "--data", data, "-o", "json"], capture_output=True, check=True)
        key = json.loads(made.stdout)["secret"]
        path = f"{pathlib.Path(ATOLL).parent}:{os.environ['PATH']}"
        seen = set()
        with Server(data) as server:
            for entry in entries:
                text = json.dumps(entry).replace("KEY\"", f"{key}\"").replace("http://127.0.0.1:8080", server.base)
                wish = json.loads(text.replace(f'"ATOLL_{key}"', '"ATOLL_KEY"'))
                if text in seen:
                    continue
                seen.add(text)
                with self.subTest(entry=entry):
                    wish.pop("type", None)
                    if "command" in wish:
                        wish["command"] = shutil.which(wish["command"], path=path)
                    with Sdk("v1", **wish) as client:
                        self.assertEqual(client.data("run_code", code="print(6 * 7)")["stdout"], "42\n")

    def test_a_client_that_probes_gets_the_modern_protocol(self):
        with Sdk("v2", mode="auto", command=ATOLL, args=["mcp"]) as client:
            self.assertEqual(client.data("run_code", code="print(6 * 7)")["stdout"], "42\n")


if __name__ == "__main__":
    unittest.main()
