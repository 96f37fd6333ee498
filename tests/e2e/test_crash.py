"""The crash rule: the server is killed at every numbered step (src/base/fault.hpp), and the next one finds nothing lost,
nothing left over and nothing done twice."""
import os
import signal
import subprocess
import tempfile
import unittest

import crash_cases
import crash_cases_more
from leftovers import Leftovers
from server import DEADLINE, Server
from support import BIN

CASES = [case for case in vars(crash_cases).values()
         if isinstance(case, type) and issubclass(case, crash_cases.Operation) and case.points] + crash_cases_more.CASES


class DyingServer(Server):
    fault = None  # the armed point
    died_at = None  # the one before

    def start(self, fault=None):
        """Without an address when it dies on its way up."""
        self.died_at, self.fault = self.fault, fault
        try:
            super().start(**{"ATOLL_FAULT": fault} if fault else {})
        except AssertionError:
            if not fault:
                raise

    def expect_dead(self, told):
        try:
            status = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.fault} was not reached; the answer was {told}") from None
        self.process.stdout.close()
        assert status == -signal.SIGKILL, status


class CrashTest(unittest.TestCase):
    # One test for each operation of crash_cases.py and crash_cases_more.py is added below.
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.server = DyingServer(folder.name + "/data", "--no-auth")
        self.leftovers = Leftovers(self.server.data)
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.stop())
        for name in ("python-default", "node-default", "shell-default"):
            status, template = self.server.call("GET", f"/api/v1/templates/{name}")
            self.set_pool(name, {"image": "host", "language": template["language"]}, 0)

    def set_pool(self, name, template, size):
        status, answer = self.server.call("PUT", f"/api/v1/templates/{name}", {**template, "pool": size})
        if status == 404:
            status, answer = self.server.call("POST", "/api/v1/templates", {"id": name, **template, "pool": size})
        self.assertIn(status, (200, 201), answer)

    def crash(self, case, point):
        operation = case(self.server)
        self.set_pool("warm", crash_cases_more.TEMPLATE, operation.parked)
        operation.prepare()
        if self.server.process.poll() is None:
            self.server.kill()
        self.server.start(point)
        told = operation.act()
        self.server.expect_dead(told)
        self.server.start()
        operation.check(told)
        self.leftovers.check(operation.parked)
        operation.clean_up()
        self.leftovers.check(operation.parked)

    def test_every_point_is_reached(self):
        listed = subprocess.run([BIN / "atoll-server", "--fault-points"], capture_output=True, text=True, check=True)
        self.assertEqual(set(listed.stdout.split()), {point for case in CASES for point in case.points})
        unknown = subprocess.run([BIN / "atoll", "serve", "--data", self.server.data], env={**os.environ, "ATOLL_FAULT": "x"},
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(unknown.returncode, 125, unknown.stderr)


def add_test(case):
    def test(self):
        for point in case.points:
            with self.subTest(point=point):
                self.crash(case, point)
        self.assertEqual(self.server.stop(), 0)
        self.leftovers.check_stopped()
    setattr(CrashTest, f"test_{case.__name__}", test)


for one in CASES:
    add_test(one)

if __name__ == "__main__":
    unittest.main()
