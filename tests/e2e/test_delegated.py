"""atoll run as an ordinary user on cgroup v2: limits hold below a group that was delegated to that user."""
import contextlib
import json
import os
import pathlib
import subprocess
import time
import unittest

import support
import test_rootless
from test_limits import BURN, FORKS, FORKS_HELD, HUNGRY
from test_rootless import NOBODY

CGROUPS = pathlib.Path("/sys/fs/cgroup")
LIMITS = {"memory_limit", "cpu_limit", "pids_limit"}
# What systemd gives to the user of a unit with Delegate=yes.
DELEGATED = (".", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control")
ENTER = 'echo 0 > "$0/cgroup.procs" && exec setpriv --reuid {0} --regid {0} --clear-groups "$@"'.format(NOBODY)


def groups_below(group):
    return sorted(folder.name for folder in group.iterdir() if folder.is_dir())


@unittest.skipUnless((CGROUPS / "cgroup.controllers").exists(), "cgroup v1 cannot be delegated")
class Delegated(test_rootless.OrdinaryUser):
    def setUp(self):
        super().setUp()
        # As systemd does it: the group with its four files belongs to the user, those above to root.
        (CGROUPS / "cgroup.subtree_control").write_text("+memory +cpu +pids")
        self.above = CGROUPS / f"atoll-e2e-{os.getpid()}"
        self.group = self.above / "delegated"
        self.shell = self.group / "shell"
        self.addCleanup(self.remove_groups)
        self.above.mkdir()
        (self.above / "cgroup.subtree_control").write_text("+memory +cpu +pids")
        for folder in (self.group, self.shell):
            folder.mkdir()
            for name in DELEGATED:
                os.chown(folder / name, NOBODY, NOBODY)

    def remove_groups(self):
        until = time.monotonic() + 30  # for the last process to be gone
        while self.above.exists() and time.monotonic() < until:
            for folder, _, _ in os.walk(self.above, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
        self.assertFalse(self.above.exists())

    def start(self, group, *words):
        return subprocess.Popen(["sh", "-c", ENTER, group, f"{self.place.name}/atoll", *words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", env={"PATH": "/usr/bin:/bin", "HOME": "/"})

    def inside(self, group, *words):
        with self.start(group, *words) as process:
            out, err = process.communicate(timeout=60)
        return support.Outcome(subprocess.CompletedProcess([], process.returncode, out, err))

    def isolation(self, group):
        outcome = self.expect(self.inside(group, "run", "-q", "-o", "json", "--", "true"))
        return json.loads(outcome.out)["isolation"]

    def check_limits(self, group):
        self.assertLessEqual(LIMITS, set(self.isolation(group)["layers"]))
        self.expect(self.inside(group, "run", "-q", "--memory", "64m", "-c", HUNGRY), code=137, out="")
        result = json.loads(self.inside(group, "run", "-q", "-o", "json", "--memory", "64m", "-c", HUNGRY).out)
        self.assertEqual((result["oom"], result["exit_code"]), (True, 137))
        self.expect(self.inside(group, "run", "-q", "--pids", "20", "-c", FORKS), out=FORKS_HELD)
        self.expect(self.inside(group, "run", "-q", "--cpus", "0.25", "-c", BURN), out="True\n")

    def expect_groups(self, group, wanted):
        """A launcher tidies up when its client has gone."""
        until = time.monotonic() + 60
        while groups_below(group) != wanted and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(groups_below(group), wanted)

    def test_limits_from_a_leaf_of_the_delegated_group(self):
        self.check_limits(self.shell)
        self.expect_groups(self.group, ["shell"])  # nothing is left, nothing was moved

    def test_limits_from_the_delegated_group_itself(self):
        """As a service with Delegate=yes: what sits in the group moves into a leaf of it."""
        self.expect(self.inside(self.group, "run", "-q", "--memory", "64m", "-c", HUNGRY), code=137, out="")
        self.expect_groups(self.group, ["atoll-host", "shell"])
        # What was moved there uses the same group again, not one below.
        self.check_limits(self.group / "atoll-host")
        self.expect_groups(self.group, ["atoll-host", "shell"])
        self.assertEqual(groups_below(self.group / "atoll-host"), [])

    def test_one_sandbox_does_not_pay_for_another(self):
        with self.start(self.shell, "run", "-q", "--memory", "64m", "--", "sh", "-c", "echo ready; cat; echo end") as quiet:
            self.assertEqual(quiet.stdout.readline(), b"ready\n")
            self.expect(self.inside(self.shell, "run", "-q", "--memory", "64m", "-c", HUNGRY), code=137)
            self.assertEqual((quiet.communicate(timeout=60)[0], quiet.returncode), (b"end\n", 0))

    def test_groups_of_a_killed_launcher_go_with_the_next(self):
        with self.start(self.shell, "run", "-q", "--", "sh", "-c", "echo ready; cat") as atoll:
            self.assertEqual(atoll.stdout.readline(), b"ready\n")
            self.assertEqual(len(groups_below(self.group)), 2)
            launchers = [int(pid) for pid in (self.shell / "cgroup.procs").read_text().split() if int(pid) != atoll.pid]
            for pid in launchers:
                os.kill(pid, 9)
            atoll.communicate(timeout=60)
        until = time.monotonic() + 30
        while groups_below(self.group) != ["shell"] and time.monotonic() < until:
            self.expect(self.inside(self.shell, "run", "-q", "--", "true"))
        self.assertEqual(groups_below(self.group), ["shell"])

    def test_doctor(self):
        for group in (self.shell, self.group):
            findings = json.loads(self.expect(self.inside(group, "doctor", "-o", "json")).out)["checks"]
            marks = {one["name"]: one["status"] for one in findings if one["group"] == "Control groups"}
            self.assertEqual(marks, {"memory": "ok", "cpu": "ok", "pids": "ok", "freezer": "ok"})

    def test_without_delegation_limits_are_missing(self):
        plain = self.above / "plain"
        plain.mkdir()
        self.assertLessEqual(LIMITS, set(self.isolation(plain)["missing"]))
        self.expect_failure(self.inside(plain, "run", "-q", "--pids", "20", "--", "true"), "limit_unenforceable")
        self.assertEqual(groups_below(plain), [])


if __name__ == "__main__":
    support.main()
