"""A Docker engine for the tests of a class, and servers that make their sandboxes there."""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from server import DEADLINE, Server  # noqa: E402
from support import IS_ROOT  # noqa: E402
from with_dockerd import IMAGE, Dockerd  # noqa: E402


@unittest.skipUnless(IS_ROOT, "an engine needs root")
class DockerCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = cls.enterClassContext(Dockerd())

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-e2e-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.data = folder.name + "/data"

    def serve(self, *sets):
        sets = ("sandbox.backend=docker", f"sandbox.backends.docker.host=unix://{self.engine.socket}",
                f"sandbox.backends.docker.image={IMAGE}", "pool.size=0", *sets)
        server = Server(self.data, "--no-auth", *[word for one in sets for word in ("--set", one)])
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def containers(self):
        """Names of what Atoll has on the engine, whatever state it is in."""
        found = json.loads(self.engine.call("GET", "/containers/json?all=1")[1])
        return sorted(one["Names"][0].removeprefix("/") for one in found if "dev.atoll.instance" in one["Labels"])

    def until(self, condition):
        deadline = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def state(self, server, session):
        return server.call("GET", f"/api/v1/sessions/{session}")[1]["status"]
