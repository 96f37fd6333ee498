"""What the tests of the commands that talk to a server share."""
import os
import subprocess
import tempfile

import support
from server import Server
from support import ATOLL, atoll

DEADLINE = 60


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
        cls.key = atoll("key", "create", "--data", cls.server.data, "--role", "owner").out.strip()
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
