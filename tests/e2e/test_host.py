"""doctor, backends, help, version, completion; privileges and traces on the host."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time
import tempfile
import unittest

import support
from support import ATOLL, atoll, run, start

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ("run", "doctor", "backends", "completion", "version", "help")
needs_root = unittest.skipUnless(support.IS_ROOT, "needs root")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
needs_v2 = unittest.skipUnless((CGROUPS / "cgroup.controllers").exists(), "cgroup v2 has one root for all controllers")


@needs_root
class PoorHosts(support.Case):
    """Hosts that lack something, made of mount and user namespaces of the test's own."""

    def inside(self, prepare, *words, user=None):
        command = ["unshare", "--mount", "sh", "-c", prepare + ' && exec "$@"', "sh", support.ATOLL, "run", *words]
        if user is not None:
            command[1:2] = ["--map-current-user", "--keep-caps", "--mount"]
        done = subprocess.run(command, capture_output=True, timeout=60, user=user, group=user, extra_groups=[] if user else None)
        return support.Outcome(done)

    def test_a_full_disk(self):
        for inodes in (2, 6):  # no room for the run folder; room for that, and for little else
            fill = f"mount -t tmpfs -o nr_inodes={inodes} none /run && touch /run/a"
            self.expect_failure(self.inside(fill, "--", "true"), "resource_exhausted")

    def test_no_cgroups(self):
        hide = "mount -t tmpfs none /sys/fs/cgroup"
        outcome = self.expect(self.inside(hide, "--", "true"))
        self.assertIn("memory_limit", outcome.err)
        self.expect_failure(self.inside(hide, "--pids", "5", "--", "true"), "limit_unenforceable")

    @needs_v2
    def test_controllers_that_cannot_be_handed_down(self):
        """As in a container's own cgroup: whoever sits in it keeps its controllers from the groups below."""
        group = CGROUPS / "atoll-e2e"
        group.mkdir()
        self.addCleanup(self.remove_groups, group)
        enter = f"echo 0 > {group}/cgroup.procs && exec unshare --cgroup --mount sh -c 'umount {CGROUPS} && mount -t cgroup2 none {CGROUPS} && exec \"$@\"' sh \"$@\""
        for words, check in ((("--", "true"), lambda done: self.assertIn("memory_limit", self.expect(done).err)),
                             (("--pids", "5", "--", "true"), lambda done: self.expect_failure(done, "limit_unenforceable"))):
            done = subprocess.run(["sh", "-c", enter, "sh", support.ATOLL, "run", *words], capture_output=True, timeout=60)
            check(support.Outcome(done))

    @staticmethod
    def remove_groups(group):
        deadline = time.monotonic() + 60  # until the last process is gone
        while group.exists() and time.monotonic() < deadline:
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)

    def test_no_user_namespaces(self):
        with tempfile.TemporaryDirectory(prefix="atoll-poor-") as place:
            os.chmod(place, 0o755)
            for name in ("atoll", "atoll-launcher", "atoll-mounts", "atoll-guest"):
                shutil.copy(support.BIN / name, place)
            forbid = f"cd / && echo 0 > /proc/sys/user/max_user_namespaces && set -- {place}/atoll run -- true"
            self.expect_failure(self.inside(forbid, user=65534), "host_unsupported")


@needs_root
class MountPoints(support.Case):
    def test_they_are_made_in_the_sandbox_alone(self):
        """Links lie on the way, the template's own and the host's: none leads out of the sandbox's root."""
        name = os.path.basename(tempfile.mktemp(prefix="atoll-point-"))
        with tempfile.TemporaryDirectory() as folder:
            self.expect(run("--mount", f"{folder}:/var/run/{name}/deep:ro", "--", "ls", f"/run/{name}"), out="deep\n")
            run("--mount", f"{folder}:/usr/lib/ssl/private/{name}:ro", "--", "true")  # on Debian a link to /etc/ssl/private
        for place in ("/run", "/etc/ssl/private"):
            self.assertFalse(os.path.lexists(f"{place}/{name}"), place)


class Doctor(support.Case):
    def test_text_and_json_agree(self):
        text, data = atoll("doctor"), atoll("doctor", "-o", "json")
        report = json.loads(data.out)
        self.assertEqual(text.code, 0 if report["native_works"] else 1)
        self.assertEqual(text.code, data.code)
        for check in report["checks"]:
            self.assertEqual(set(check), {"group", "name", "status", "detail", "advice"})
            self.assertIn(check["name"], text.out)
            if check["status"] in ("failed", "warning"):
                self.assertTrue(check["advice"], check)

    # covers: atoll doctor
    def test_says_what_works(self):
        report = json.loads(atoll("doctor", "-o", "json").out)
        names = {check["name"] for check in report["checks"]}
        for name in ("version", "seccomp", "landlock", "idmapped mounts", "user", "mount", "pid", "network", "ipc", "host name",
                     "cgroup", "/proc", "tmpfs", "egress", "memory", "cpu", "pids", "freezer", "python3", "node", "bash",
                     "atoll-launcher", "atoll-guest", "atoll-mounts", "atoll-net", "disk images", "max_user_namespaces",
                     *(["legacy_tiocsti"] if os.path.exists("/proc/sys/dev/tty/legacy_tiocsti") else [])):
            self.assertIn(name, names)
        self.assertEqual(report["native_works"], run("-q", "--", "true").code == 0)

    def test_missing_programs_are_found(self):
        shutil.copy(ATOLL, self.folder / "atoll")
        done = subprocess.run([self.folder / "atoll", "doctor"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("✗ atoll-guest", done.stdout)
        done = subprocess.run([self.folder / "atoll", "run", "--", "true"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 125, done)
        self.assertRegex(done.stderr, "^atoll: host_unsupported: ")


class Manuals(support.Case):
    # covers: atoll help
    def test_every_command_has_one(self):
        for name in COMMANDS:
            page = self.expect(atoll("help", name)).out
            self.assertEqual(page, self.expect(atoll(name, "--help")).out)
            self.assertIn("Usage", page)
        self.assertEqual(atoll("--help").out, atoll("help").out)
        self.assertIn("Exit status", atoll("run", "-h").out)

    # covers: atoll version
    def test_version(self):
        self.assertRegex(self.expect(atoll("version")).out, r"^atoll \d+\.\d+\.\d+\n$")
        self.assertEqual(atoll("--version").out, atoll("version").out)

    def test_docs_are_those_of_the_program(self):
        self.assertEqual(atoll("help", "--markdown").out, (SOURCE / "docs/cli.md").read_text())

    # covers: atoll backends
    def test_backends(self):
        self.assertIn("native", self.expect(atoll("backends")).out)
        entry = json.loads(atoll("backends", "-o", "json").out)["backends"]
        self.assertIn("native", [one["name"] for one in entry])

    @unittest.skipUnless(support.IS_ROOT, "an ordinary user has one folder for both")
    def test_a_server_finds_room_where_a_run_has_been(self):
        script = f"mount -t tmpfs tmpfs /var/lib && {support.ATOLL} run -- true && {support.ATOLL} key create --role admin"
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_backend_is_looked_for_in_the_larger_program(self):
        refused = atoll("run", "--backend", "nonsense", "--", "true")
        self.assertEqual(refused.code, 125)
        for one in json.loads(atoll("backends", "-o", "json").out)["backends"]:
            self.assertIn(one["name"], refused.err)

    def test_a_backend_that_the_server_refuses_is_refused_by_the_check(self):
        with tempfile.TemporaryDirectory() as folder:
            served = atoll("serve", "--backend", "nonsense", "--data", folder, "--listen", "127.0.0.1:0")
        self.assertEqual(served.code, 125)
        sentence = next(line for line in served.err.splitlines() if "unsupported_backend: " in line)
        checked = atoll("config", "check", "--set", "sandbox.backend=nonsense")
        self.assertEqual(checked.code, 1)
        self.assertEqual(checked.out, "--set: /sandbox/backend is wrong: " + sentence.split("unsupported_backend: ")[1] + "\n")
        self.expect(atoll("config", "check", "--set", "sandbox.backend=docker"))


class Completion(support.Case):
    def complete(self, *words):
        script = atoll("completion", "bash").out
        listed = " ".join(f"'{word}'" for word in words)
        ask = f"{script}\nCOMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _atoll 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return subprocess.run(["bash", "-c", ask], capture_output=True, text=True, timeout=60).stdout.split()

    # covers: atoll completion
    def test_bash(self):
        self.assertEqual(self.complete("atoll", "do"), ["doctor"])
        self.assertEqual(self.complete("atoll", "run", "--mem"), ["--memory"])
        self.assertIn("javascript", self.complete("atoll", "run", "-l", ""))
        self.assertEqual(self.complete("atoll", "run", "-o", "j"), ["json"])
        self.assertEqual(self.complete("atoll", "completion", "f"), ["fish"])
        self.assertEqual(self.complete("atoll", "run", "ls", "--mem"), [])

    # covers: atoll completion
    def test_shells_that_are_here_accept_their_script(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.expect(atoll("completion", shell)).out
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.file(f"completion.{shell}", script)], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)


class OnTheHost(support.Case):
    def status_of(self, pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        return dict(line.split(":\t", 1) for line in lines if ":\t" in line)

    def test_atoll_has_no_privileges_while_the_program_runs(self):
        process = start("--", "sh", "-c", "echo ready; sleep 30")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        status = self.status_of(process.pid)
        process.terminate()
        process.communicate()
        self.assertEqual(status["NoNewPrivs"], "1")
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        if support.IS_ROOT:
            self.assertEqual(int(status["CapBnd"], 16), 0)
            self.assertNotIn("0", status["Uid"].split() + status["Gid"].split())
            self.assertEqual(status["Groups"].strip(), "")

    def test_nothing_is_left_behind(self):
        # A copy of the programs tells our processes from those of others who test at the same time.
        for name in ("atoll", "atoll-launcher", "atoll-mounts", "atoll-guest"):
            shutil.copy(support.BIN / name, self.folder)
        mark = f"97.{os.getpid():07}"
        stubborn = f"trap '' TERM; sleep {mark} & sleep {mark}"
        for words in (["--", "true"], ["--", "no-such-program"], ["--timeout", "100ms", "--", "sleep", mark],
                      ["--timeout", "100ms", "-l", "sh", "-c", stubborn], ["--mount", "/no/such:/x", "--", "true"],
                      ["--workdir", "/no/such", "--", "true"], ["--memory", "0", "--", "true"]):
            subprocess.run([self.folder / "atoll", "run", *words], capture_output=True, timeout=60)
        deadline = time.monotonic() + 60
        while left := self.processes_with(str(self.folder), mark):
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.1)

    def processes_with(self, *texts):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if any(text in line for text in texts):
                found.append(line)
        return found


if __name__ == "__main__":
    support.main()
