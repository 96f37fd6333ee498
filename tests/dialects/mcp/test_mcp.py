"""MCP through the official clients, both eras, over HTTP and over `atoll mcp`: every tool, with its values, and its
effects read back through REST."""
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from support_mcp import HERE, Refused, Sdk, clients

from server import Server, until
from support import ATOLL

PNG = (b"\x89PNG\r\n\x1a\n" + bytes.fromhex(
    "0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"))
FIGURE = """
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
plt.show()
"""
SERVER = None
FOLDER = None


def setUpModule():
    global SERVER, FOLDER
    clients.install()
    FOLDER = tempfile.TemporaryDirectory(prefix="atoll-mcp-")
    os.chmod(FOLDER.name, 0o755)
    SERVER = Server(os.path.join(FOLDER.name, "data"), "--no-auth")


def tearDownModule():
    SERVER.stop()
    FOLDER.cleanup()


def session(sandbox):
    status, body = SERVER.call("GET", f"/api/v1/sessions/{sandbox}")
    assert status == 200, body
    return body


def file_of(sandbox, path):
    """As REST gives it; None when it is not there."""
    status, body = SERVER.call("GET", f"/api/v1/sessions/{sandbox}/files/{path}")
    if status == 404:
        return None
    assert status == 200, body
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def text_of(result):
    return "\n".join(one["text"] for one in result["content"] if one["type"] == "text")


class EveryTool:
    """Run for each client; `connect` gives one."""

    @classmethod
    def setUpClass(cls):
        cls.client = cls.connect()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def test_lists_its_tools(self):
        tools = self.client.do("tools")["tools"]
        self.assertLessEqual(len(tools), 20)
        self.assertEqual(len({tool["name"] for tool in tools}), len(tools))
        for tool in tools:
            self.assertGreater(len(tool["description"]), 20, tool["name"])
            self.assertIn("sandbox_id", tool["inputSchema"]["properties"] if tool["name"] != "sandbox_create" else
                          {"sandbox_id"}, tool["name"])
            self.assertIn("status", tool["outputSchema"]["required"], tool["name"])
            self.assertIn("readOnlyHint", tool["annotations"], tool["name"])

    def test_run_code_keeps_variables_and_gives_values(self):
        first = self.client.data("run_code", code="kept = 20")
        result = self.client.call("run_code", code="print('out')\nkept * 2 + 2")
        data = result["structuredContent"]["data"]
        self.assertEqual((data["stdout"], data["exit_code"], data["sandbox_id"]), ("out\n", 0, first["sandbox_id"]))
        self.assertEqual(data["results"], [{"text/plain": "42"}])
        self.assertEqual(text_of(result), "out\n42")
        status, row = SERVER.call("GET", f"/api/v1/executions/{data['process_id']}")
        self.assertEqual((status, row["stdout"], row["state"]), (200, "out\n", "completed"))

    def test_run_code_in_other_languages(self):
        self.assertEqual(self.client.data("run_code", language="bash", code="echo $((6 * 7))")["stdout"], "42\n")
        self.assertEqual(self.client.data("run_code", language="javascript", code="console.log(6 * 7)")["stdout"], "42\n")

    def test_a_figure_is_an_image(self):
        result = self.client.call("run_code", code=FIGURE, timeout=120)
        pictures = [one for one in result["content"] if one["type"] == "image"]
        self.assertEqual([one["mimeType"] for one in pictures], ["image/png"], result)
        self.assertTrue(base64.b64decode(pictures[0]["data"], validate=True).startswith(PNG[:8]))

    def test_code_that_fails(self):
        result = self.client.call("run_code", code="1 / 0")
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["status"], "error")
        self.assertIn("ZeroDivisionError", result["structuredContent"]["summary"])
        self.assertIn("Traceback", text_of(result))

    def test_run_command(self):
        data = self.client.data("run_command", command="pwd; echo $A; cat; echo err >&2", working_dir="/tmp",
                                env={"A": "b"}, stdin="in")
        self.assertEqual((data["stdout"], data["stderr"], data["exit_code"]), ("/tmp\nb\nin", "err\n", 0))
        failed = self.client.call("run_command", command="exit 3")
        self.assertTrue(failed["isError"])
        self.assertEqual(failed["structuredContent"]["data"]["exit_code"], 3)

    def test_a_time_out_says_so(self):
        result = self.client.call("run_command", command="sleep 100", timeout=1)
        self.assertEqual(result["structuredContent"]["summary"], "Execution timeout (1s)")
        self.assertEqual(result["structuredContent"]["error"]["code"], "exec_timeout")

    def test_a_dangerous_command_is_blocked(self):
        result = self.client.call("run_command", command="rm -rf /")
        self.assertEqual(result["structuredContent"]["error"]["code"], "dangerous_command")

    def test_long_output_is_cut_and_read_on(self):
        data = self.client.data("run_command", command="seq 1 30000")
        self.assertTrue(data["truncated"])
        whole = data["stdout"]
        while data["truncated"]:
            data = self.client.data("process_poll", process_id=data["process_id"], stdout_offset=data["stdout_next"],
                                    stderr_offset=data["stderr_next"])
            whole += data["stdout"]
        self.assertEqual(whole, "".join(f"{n}\n" for n in range(1, 30001)))

    def test_a_process_in_the_background(self):
        begun = self.client.data("run_command", command="while read line; do echo got $line; done; echo end",
                                 background=True)
        process = begun["process_id"]
        self.assertEqual(SERVER.call("GET", f"/api/v1/executions/{process}")[1]["state"], "running")
        self.client.data("process_input", process_id=process, text="one\n")
        seen = self.client.data("process_poll", process_id=process, wait_seconds=60)
        self.assertEqual((seen["stdout"], seen["state"]), ("got one\n", "running"))
        self.client.data("process_input", process_id=process, text="", end=True)
        seen = self.client.data("process_poll", process_id=process, stdout_offset=seen["stdout_next"], wait_seconds=60)
        self.assertEqual(seen["stdout"], "end\n")

    def test_a_process_is_killed(self):
        process = self.client.data("run_command", command="sleep 1000", background=True)["process_id"]
        self.assertEqual(self.client.data("process_kill", process_id=process)["state"], "cancelled")
        self.assertEqual(SERVER.call("GET", f"/api/v1/executions/{process}")[1]["state"], "cancelled")
        process = self.client.data("run_command", command="trap 'echo caught; exit' USR1; echo on; while :; do sleep 0.1; done",
                                   background=True)["process_id"]
        seen = self.client.data("process_poll", process_id=process, wait_seconds=60)
        self.assertEqual(seen["stdout"], "on\n")
        self.client.data("process_kill", process_id=process, signal="USR1")
        printed = ""
        while seen["state"] == "running" and not printed:  # the shell's word of the signal may come first
            seen = self.client.data("process_poll", process_id=process, stdout_offset=seen["stdout_next"],
                                    stderr_offset=seen["stderr_next"], wait_seconds=60)
            printed += seen["stdout"]
        self.assertEqual(printed, "caught\n")

    def test_files(self):
        written = self.client.data("file_write", path="d/a.txt", content="one\ntwo\n")
        sandbox = written["sandbox_id"]
        self.assertTrue(written["created"])
        self.assertEqual(file_of(sandbox, "d/a.txt"), b"one\ntwo\n")
        self.assertEqual(self.client.data("file_read", path="d/a.txt")["content"], "one\ntwo\n")
        part = self.client.data("file_read", path="d/a.txt", limit=5)
        self.assertEqual((part["content"], part["next_offset"], part["truncated"]), ("one\n", 4, True))
        self.assertEqual(self.client.data("file_edit", path="d/a.txt", old_text="two", new_text="zwei")["replacements"], 1)
        self.assertEqual(file_of(sandbox, "d/a.txt"), b"one\nzwei\n")
        missing = self.client.call("file_edit", path="d/a.txt", old_text="nine", new_text="x")
        self.assertEqual(missing["structuredContent"]["error"]["code"], "not_found")
        self.client.data("file_write", path="d/b.bin", content=base64.b64encode(b"\0\xff").decode(), encoding="base64",
                         executable=True)
        self.assertEqual(file_of(sandbox, "d/b.bin"), b"\0\xff")
        self.assertEqual(self.client.data("file_read", path="d/b.bin")["encoding"], "base64")
        listed = self.client.data("file_list", path="d")
        self.assertEqual([(one["path"], one["kind"], one["size"]) for one in listed["files"]],
                         [("d/a.txt", "file", 9), ("d/b.bin", "file", 2)])
        found = self.client.data("file_search", glob="*.txt", contains="zwei")
        self.assertEqual([one["path"] for one in found["files"]], ["d/a.txt"])

    def test_a_picture_is_read_as_one(self):
        self.client.data("file_write", path="p.png", content=base64.b64encode(PNG).decode(), encoding="base64")
        result = self.client.call("file_read", path="p.png")
        pictures = [one for one in result["content"] if one["type"] == "image"]
        self.assertEqual(base64.b64decode(pictures[0]["data"]), PNG)

    def test_sandboxes(self):
        made = self.client.data("sandbox_create", template="shell-default", timeout_seconds=600, env={"A": "b"},
                                labels={"for": "mcp"})
        sandbox = made["sandbox_id"]
        seen = session(sandbox)
        self.assertEqual((seen["template_id"], seen["labels"], seen["config"]["timeout_seconds"]),
                         ("shell-default", {"for": "mcp"}, 600))
        self.assertEqual(self.client.data("run_command", command="echo $A", sandbox_id=sandbox)["stdout"], "b\n")
        self.assertIn(sandbox, [one["id"] for one in self.client.data("sandbox_list", limit=200)["sandboxes"]])
        info = self.client.data("sandbox_info", sandbox_id=sandbox)
        self.assertEqual(info["sandbox"]["status"], "ready")
        self.assertGreater(info["usage"]["memory_limit_mb"], 0)
        self.assertEqual(self.client.data("sandbox_pause", sandbox_id=sandbox)["state"], "paused")
        self.assertEqual(session(sandbox)["status"], "paused")
        self.assertEqual(self.client.data("sandbox_resume", sandbox_id=sandbox)["state"], "ready")
        self.client.data("sandbox_kill", sandbox_id=sandbox)
        self.assertEqual(session(sandbox)["status"], "terminated")
        gone = self.client.call("run_command", command="true", sandbox_id=sandbox)
        self.assertTrue(gone["isError"])

    def test_a_port_in_the_browser(self):
        self.client.data("run_command", command="cd /tmp && echo hello > index.html && exec python3 -m http.server 8765",
                         background=True)
        until(lambda: self.client.data("expose_port", port=8765)["listening"], "nothing listens on 8765")
        link = self.client.data("expose_port", port=8765)
        self.assertRegex(link["urls"][0], rf"^http://8765-{link['sandbox_id']}\.localhost:\d+/\?atoll_token=\S+$")
        status, body = SERVER.call("GET", f"/api/v1/sessions/{link['sandbox_id']}/proxy/8765/index.html")
        self.assertEqual((status, body), (200, b"hello\n"))

    def test_the_audit_log(self):
        sandbox = self.client.data("run_command", command="true")["sandbox_id"]
        rows = self.client.data("audit_query", action="session_created", sandbox_id=sandbox)["audit"]
        self.assertEqual([row["session_id"] for row in rows], [sandbox])

    def test_resources(self):
        sandbox = self.client.data("file_write", path="r/é.txt", content="text")["sandbox_id"]
        listed = {one["uri"]: one for one in self.client.do("resources")["resources"]}
        uri = f"atoll://{sandbox}/r/%C3%A9.txt"
        self.assertIn(uri, listed)
        self.assertEqual(self.client.do("read", uri=uri)["contents"][0]["text"], "text")
        self.assertEqual(self.client.do("read", uri="atoll://default/r/%C3%A9.txt")["contents"][0]["text"], "text")
        self.assertEqual(len(self.client.do("templates")["resourceTemplates"]), 2)
        with self.assertRaises(Refused) as refused:
            self.client.do("read", uri="atoll://default/r/none")
        self.assertIn(refused.exception.code, (-32002, -32602))

    def test_progress_comes_while_it_runs(self):
        told = self.client.do("progress", name="run_command", args={"command": "for i in 1 2 3; do echo $i; sleep 1; done"})
        self.assertEqual(told["result"]["structuredContent"]["data"]["stdout"], "1\n2\n3\n")
        seen = [one["progress"] for one in told["seen"]]
        self.assertGreaterEqual(len(seen), 1)
        self.assertEqual(seen, sorted(set(seen)))
        self.assertEqual({one["total"] for one in told["seen"]}, {60})

    def test_a_tool_that_there_is_not(self):
        with self.assertRaises(Refused) as refused:
            self.client.call("no_such_tool")
        self.assertEqual(refused.exception.code, -32602)

    def test_arguments_that_are_wrong(self):
        for name, args in (("run_code", {}), ("run_command", {"command": "true", "timeout": -1}),
                           ("run_command", {"command": "true", "timeout": 1e300}),
                           ("process_poll", {"process_id": "x", "wait_seconds": 1e300}),
                           ("file_read", {"path": "../etc/passwd"}), ("expose_port", {"port": 70000}),
                           ("sandbox_create", {"cpu": -1}), ("sandbox_info", {"sandbox_id": "no"})):
            result = self.client.call(name, **args)
            self.assertTrue(result["isError"], (name, args, result))
            self.assertEqual(result["structuredContent"]["status"], "error")

    def test_a_sandbox_that_has_ended_is_replaced(self):
        first = self.client.data("run_code", code="kept = 1")["sandbox_id"]
        self.assertEqual(SERVER.call("DELETE", f"/api/v1/sessions/{first}")[0], 204)
        result = self.client.call("run_code", code="print('kept' in globals())")
        again = result["structuredContent"]
        self.assertNotEqual(again["data"]["sandbox_id"], first)
        self.assertEqual(again["data"]["stdout"], "False\n")
        self.assertIn(first, again["notice"])


class Aborts:
    """For clients that can give a call up."""

    def test_a_call_that_is_given_up_ends_its_execution(self):
        told = self.client.do("abort", name="run_command", args={"command": "sleep 555"})
        self.assertTrue(told["aborted"], told)
        sandbox = self.client.data("run_command", command="true")["sandbox_id"]

        def cancelled():
            rows = SERVER.call("GET", f"/api/v1/sessions/{sandbox}/results")[1]["results"]
            return [row for row in rows if row["state"] == "cancelled"]
        until(cancelled, "the execution was not cancelled")


class LegacyHttp(EveryTool, Aborts, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("v1", url=f"{SERVER.base}/mcp")


class ModernHttp(EveryTool, Aborts, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("v2", url=f"{SERVER.base}/mcp")


class PythonHttp(EveryTool, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("python", url=f"{SERVER.base}/mcp")


class LegacyStdio(EveryTool, Aborts, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("v1", command=ATOLL, args=["mcp", "--server", SERVER.base])


class ModernStdio(EveryTool, Aborts, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("v2", command=ATOLL, args=["mcp"], env={"ATOLL_SERVER": SERVER.base})


class PythonStdio(EveryTool, unittest.TestCase):
    @staticmethod
    def connect():
        return Sdk("python", mode="legacy", command=ATOLL, args=["mcp", "--server", SERVER.base])


if __name__ == "__main__":
    unittest.main()
