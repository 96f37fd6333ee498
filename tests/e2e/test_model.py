"""Random steps against a model of what must hold: sessions, executions, files, kills and restarts (model.py).

ATOLL_MODEL_SEED repeats a run, ATOLL_MODEL_STEPS makes it longer.
"""
import os
import random
import tempfile
import unittest

from model import Model
from server import Server

STEPS = int(os.environ.get("ATOLL_MODEL_STEPS", "300"))


class ModelTest(unittest.TestCase):
    def test_random_steps(self):
        seed = int(os.environ.get("ATOLL_MODEL_SEED", random.randrange(10**9)))
        print(f"ATOLL_MODEL_SEED={seed} ATOLL_MODEL_STEPS={STEPS}", flush=True)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        server = Server(folder.name + "/data", "--no-auth")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        for name, size in (("python-default", 0), ("node-default", 0), ("shell-default", 0), ("warm", 2)):
            body = {"id": name, "image": "host", "language": "bash", "pool": size}
            method, path = ("POST", "") if name == "warm" else ("PUT", f"/{name}")
            status, answer = server.call(method, "/api/v1/templates" + path, body)
            self.assertIn(status, (200, 201), answer)
        model = Model(server, seed)
        for number in range(STEPS):
            try:
                model.step()
            except Exception as error:
                raise AssertionError(f"seed {seed}, step {number}: {error}") from error
        model.check(patient=True)
        model.leftovers.check(parked=2)
        self.assertEqual(server.stop(), 0)
        model.leftovers.check_stopped()
        print(dict(model.steps))


if __name__ == "__main__":
    unittest.main()
