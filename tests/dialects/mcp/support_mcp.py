"""Clients of the official SDKs as objects, for the tests of MCP."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e")]

import clients  # noqa: E402  pylint: disable=wrong-import-position


class Refused(Exception):
    """A call that ended with an error of the protocol."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Sdk:
    """One client, in a process of its own."""

    def __init__(self, sdk, **wish):
        if sdk == "python":
            words = [clients.python(), "-B", HERE / "drive.py", json.dumps(wish)]
        else:
            words = [clients.node(), HERE / "drive.mjs", clients.folder(), json.dumps({"sdk": sdk, **wish})]
        self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        hello = self.process.stdout.readline()
        assert hello, f"{sdk} did not connect"
        self.pid = json.loads(hello).get("pid")  # of the server that it started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def begin(self, what, **more):
        self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self.process.stdin.flush()

    def end(self):
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def do(self, what, **more):
        self.begin(what, **more)
        return self.end()

    def call(self, name, **args):
        """The whole result."""
        return self.do("call", name=name, args=args)

    def data(self, name, **args):
        """structuredContent.data of a call that succeeded."""
        result = self.call(name, **args)
        assert not result.get("isError"), result
        assert result["structuredContent"]["status"] == "success", result
        return result["structuredContent"]["data"]

    def close(self):
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
