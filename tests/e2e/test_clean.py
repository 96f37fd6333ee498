"""`atoll doctor --clean`: what dead servers left goes, and what anybody still uses stays."""
import json
import os
import subprocess
import unittest

import support
from crash_cases import until
from leftovers import kill_all, launchers_of, names, run_folder_of
from server import DEADLINE, Server
from support import IS_ROOT, atoll

NO_POOL = ("--no-auth", "--set", "pool.size=0")


class Clean(support.Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.data = str(self.folder / "data")
        self.run = run_folder_of(self.data)

    def clean(self):
        """path -> whether it was removed"""
        report = json.loads(atoll("doctor", "--clean", "-o", "json").out)
        return {one["path"]: one["removed"] for one in report["leftovers"]}

    def kill_launchers(self):
        self.assertTrue(launchers_of(self.run))
        kill_all(launchers_of(self.run))
        until(lambda: not launchers_of(self.run), "launchers are gone")

    # covers: atoll doctor
    def test_a_dead_server(self):
        server = Server(self.data, *NO_POOL)
        self.assertTrue(self.run.exists())
        self.assertNotIn(str(self.run), self.clean())
        self.kill_launchers()
        server.kill()
        self.assertTrue(self.run.exists())
        report = json.loads(atoll("doctor", "-o", "json").out)
        (folders,) = [check for check in report["checks"] if check["name"] == "run folders"]
        self.assertEqual(folders["status"], "info", folders)
        self.assertTrue(self.clean()[str(self.run)])
        self.assertFalse(self.run.exists())
        with Server(self.data, *NO_POOL) as again:
            self.assertEqual(again.execute(again.session(template_id="shell-default"), command="echo 1")["stdout"], "1\n")

    def test_living_sandboxes_of_a_dead_server(self):
        server = Server(self.data, *NO_POOL)
        session = server.session(template_id="shell-default")
        self.assertEqual(server.execute(session, command="echo kept > f")["exit_code"], 0)
        self.kill_launchers()
        server.kill()
        before = names(self.run)
        self.assertNotIn(str(self.run), self.clean())
        self.assertEqual(names(self.run), before)
        with Server(self.data, *NO_POOL) as again:
            self.assertEqual(again.execute(session, command="cat f")["stdout"], "kept\n")

    @unittest.skipUnless(IS_ROOT, "slots with control groups are root's")
    def test_slots(self):
        """Many at once, then none: what they kept goes, but for the one that is in use."""
        command = [support.ATOLL, "run", "-q", "-i", "--", "cat"]
        running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)]
        for one in running:
            one.stdin.write(b"up\n")
            one.stdin.flush()
            self.assertEqual(one.stdout.readline(), b"up\n")
        for one in running[1:]:
            one.communicate(timeout=DEADLINE)
        try:
            # Of the host, where others work as well: a group that its last process just leaves goes the next time.
            until(lambda: all(removed for path, removed in self.clean().items() if "/slots/" in path), "slots are removed")
            # Nobody lost anything: the one that ran goes on, and others start in slots that are made anew.
            self.assertEqual(support.run("-q", "--memory", "64m", "--", "echo", "new").out, "new\n")
            running[0].stdin.write(b"still\n")
            running[0].stdin.flush()
            self.assertEqual(running[0].stdout.readline(), b"still\n")
        finally:
            running[0].communicate(timeout=DEADLINE)

    def test_text(self):
        outcome = atoll("doctor", "--clean")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(outcome.out, r"\A((removed .*\n)+|There is nothing to remove\.\n)\Z")


if __name__ == "__main__":
    support.main()
