"""The workspace of a session with a key is DATA/workspaces/TENANT/KEY on the host: what runs inside changes it, and the next
session with that key begins with it. What a sandbox names leads nowhere else."""

import os
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import unittest

from server import DEADLINE, Server
from support import ATOLL


def until(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come about")
        time.sleep(0.05)


class WorkspacesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder, self.data = folder.name, f"{folder.name}/data"
        self.server = Server(self.data, "--no-auth")
        self.addCleanup(self.server.stop)

    def path(self, *parts):
        return os.path.join(self.data, "workspaces", "default", *parts)

    def read(self, *parts):
        with open(self.path(*parts), encoding="utf-8") as file:
            return file.read()

    def run_in(self, session, command):
        result = self.server.execute(session, command=command)
        self.assertEqual(result["exit_code"], 0, result)
        return result["stdout"]

    def write_and_stay(self, session, command):
        """Its files are copied by nobody but the end of the session, or a pause: it still runs."""
        path = f"/api/v1/sessions/{session}/execute"
        started = self.server.call("POST", path, {"command": command + "; echo written; sleep 60"})[1]["execution_id"]
        until(lambda: self.server.call("GET", f"/api/v1/executions/{started}")[1]["stdout"] == "written\n")

    def delete(self, session):
        self.assertEqual(self.server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)

    def test_the_folder_follows_every_execution(self):
        session = self.server.session(session_key="cli:direct")
        self.assertTrue(os.path.isdir(self.path("cli_direct")))
        self.run_in(session, "mkdir -p a/b && echo one > a/b/f && echo 'echo hi' > run && chmod 755 run && ln -s a/b/f link")
        self.assertEqual(self.read("cli_direct", "a/b/f"), "one\n")
        self.assertEqual(os.readlink(self.path("cli_direct", "link")), "a/b/f")
        self.assertTrue(os.stat(self.path("cli_direct", "run")).st_mode & stat.S_IXUSR)
        # Also when only the time tells, when a file becomes a folder, and by code in a context.
        self.run_in(session, "echo two > a/b/f && rm link && mkdir link && touch link/x && rm run")
        self.assertEqual(self.read("cli_direct", "a/b/f"), "two\n")
        self.assertEqual(os.listdir(self.path("cli_direct", "link")), ["x"])
        self.assertFalse(os.path.exists(self.path("cli_direct", "run")))
        self.server.execute(session, code="open('c', 'w').write('x' * 3_000_000)", language="python", context="default")
        self.assertEqual(self.read("cli_direct", "c"), "x" * 3_000_000)
        self.run_in(session, "rm -r a link c")
        self.assertEqual(os.listdir(self.path("cli_direct")), [])

    def test_the_next_session_of_a_key_has_the_files(self):
        session = self.server.session(session_key="chat:1")
        self.run_in(session, "mkdir d && echo kept > d/f && chmod 750 d && ln -s d/f l && echo '#!/bin/sh' > s && chmod 755 s")
        # It is removed while something still writes.
        self.write_and_stay(session, "echo late > late")
        self.delete(session)
        again = self.server.session(session_key="chat:1")
        self.assertNotEqual(session, again)
        self.assertEqual(self.run_in(again, "cat l late; stat -c %a d s; id -un; echo more >> d/f").split(),
                         ["kept", "late", "750", "755", "user"])
        self.assertEqual(self.read("chat_1", "d/f"), "kept\nmore\n")
        other = self.server.session(session_key="chat:2")
        self.assertEqual(self.run_in(other, "ls -A"), "")
        self.assertEqual(self.run_in(self.server.session(), "ls -A"), "")

    def test_what_the_host_puts_there_is_in_the_next_session(self):
        os.makedirs(self.path("mine/sub"))
        for name, text in (("mine/a", "A"), ("mine/sub/b", "B" * 2_500_000), ("mine/empty", "")):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        os.symlink("/etc/passwd", self.path("mine/out"))
        subprocess.run(["chown", "-R", "--reference", self.data, self.path("mine")], check=True)
        session = self.server.session(session_key="mine")
        self.assertEqual(self.run_in(session, "cat a; wc -c < sub/b; ls"), "A2500000\na\nempty\nsub\n")

    def test_files_that_come_by_the_api(self):
        session = self.server.session(session_key="k")
        self.server.call("PUT", f"/api/v1/sessions/{session}/files/up", b"sent")
        until(lambda: os.path.exists(self.path("k/up")))
        self.assertEqual(self.read("k/up"), "sent")
        self.server.call("DELETE", f"/api/v1/sessions/{session}/files/up")
        until(lambda: not os.path.exists(self.path("k/up")))
        # A paused session is as it was when it was paused, also for the next one.
        self.write_and_stay(session, "echo frozen > f")
        self.assertEqual(self.server.call("POST", f"/api/v1/sessions/{session}/pause")[0], 200)
        self.delete(session)
        self.assertEqual(self.run_in(self.server.session(session_key="k"), "cat f"), "frozen\n")

    def test_after_a_crash_it_goes_on(self):
        session = self.server.session(session_key="k")
        self.run_in(session, "echo 1 > before")
        self.server.kill()
        with open(self.path("../.part-left"), "w", encoding="utf-8"):
            pass
        self.server.start()
        self.run_in(session, "echo 2 > after; rm before")
        self.assertEqual(os.listdir(self.path("k")), ["after"])
        self.assertEqual(sorted(os.listdir(self.path(".."))), [".layout-2", "default"])
        self.server.stop()  # a clean end is the end of the session, not of its files
        self.server.start()
        self.assertEqual(self.run_in(self.server.session(session_key="k"), "cat after"), "2\n")

    def test_two_that_come_while_the_last_one_ends_share_one(self):
        session = self.server.session(session_key="k")
        self.write_and_stay(session, "for i in $(seq 300); do echo $i > $i; done")
        found = []

        def create():
            status, made = self.server.call("POST", "/api/v1/sessions", {"session_key": "k"}, {"Prefer": "wait"})
            found.append((status, made["id"]))

        threads = [threading.Thread(target=create) for _ in range(4)]
        end = threading.Thread(target=lambda: self.delete(session))
        for thread in (end, *threads):
            thread.start()
        for thread in (end, *threads):
            thread.join()
        create()
        new = [status for status, one in found if one != session]  # one that came before the end was told the old one
        self.assertEqual(sorted(new), [200] * (len(new) - 1) + [201])
        self.assertEqual(self.run_in(found[-1][1], "ls | wc -l"), "300\n")

    def test_keys_that_are_no_names(self):
        for key in ("../../out", "/etc", ".", "..", ".part-x", "@default", "a/b", "x" * 256, "ü" * 120, "%41", "a\tb"):
            with self.subTest(key):
                session = self.server.session(session_key=key)
                self.run_in(session, f"echo {len(key)} > found")
                self.delete(session)
                self.assertEqual(self.run_in(self.server.session(session_key=key), "cat found"), f"{len(key)}\n")
        names = os.listdir(self.path())
        self.assertEqual(len(names), 11, names)
        self.assertTrue(all(os.listdir(self.path(name)) == ["found"] for name in names), names)
        self.assertNotIn("out", os.listdir(self.data))

    def test_hostile_names_lead_nowhere(self):
        session = self.server.session(session_key="evil")
        with open(f"{self.data}/victim", "w", encoding="utf-8") as file:
            file.write("safe")
        os.chown(f"{self.data}/victim", os.stat(self.data).st_uid, -1)
        # A folder that is on the host already becomes a link out of it, and a file is written below its name.
        self.run_in(session, "mkdir d && echo x > d/victim")
        self.run_in(session, "rm -r d && ln -s ../../.. d && ln -s ../../../victim v && ln -s /etc e && mkfifo p")
        self.assertEqual(os.listdir(self.path("evil")), [])
        self.run_in(session, "rm d v e && mkdir d && echo y > d/victim && echo z > v")
        self.assertEqual(self.read("evil", "d/victim"), "y\n")
        with open(f"{self.data}/victim", encoding="utf-8") as file:
            self.assertEqual(file.read(), "safe")
        # What the host's folder was made into is not followed either.
        os.unlink(self.path("evil/v"))
        os.symlink("../../../victim", self.path("evil/v"))
        self.run_in(session, "echo again > v")
        self.assertEqual(self.read("evil", "v"), "again\n")
        with open(f"{self.data}/victim", encoding="utf-8") as file:
            self.assertEqual(file.read(), "safe")

    def test_what_cannot_be_looked_into_stays_as_it_was(self):
        session = self.server.session(session_key="k")
        self.run_in(session, "mkdir -p d/sub && echo 1 > d/sub/f && echo 2 > g")
        self.run_in(session, "chmod 0 d && echo 3 > g")
        self.assertEqual((self.read("k/d/sub/f"), self.read("k/g")), ("1\n", "3\n"))
        self.run_in(session, "chmod 400 /workspace")  # its names can be read, and nothing else
        self.delete(session)
        self.assertEqual(self.run_in(self.server.session(session_key="k"), "cat d/sub/f g"), "1\n3\n")

    def test_a_path_that_is_too_long_is_left_out(self):
        session = self.server.session(session_key="k")
        self.run_in(session, "n=$(printf 'x%.0s' $(seq 250)); for i in $(seq 20); do mkdir $n && cd $n || break; done; "
                             "cd /workspace; echo 1 > z")
        self.assertEqual(self.read("k/z"), "1\n")
        self.delete(session)
        self.assertEqual(self.run_in(self.server.session(session_key="k"), "cat z"), "1\n")

    def test_names_without_end_are_no_listing(self):
        session = self.server.session(session_key="k")
        self.run_in(session, "echo 1 > f")
        self.server.execute(session, code="import os\nfor i in range(15):\n    os.mkdir('x' * 250)\n    os.chdir('x' * 250)\n"
                                          "for i in range(10_000):\n    os.mknod(str(i))", language="python")
        status, problem = self.server.call("GET", f"/api/v1/sessions/{session}/files?depth=32")
        self.assertEqual((status, problem["code"]), (413, "too_large"))
        self.assertEqual(os.listdir(self.path("k")), ["f"])

    def test_a_folder_that_cannot_be_used_is_told(self):
        session = self.server.session(session_key="k")
        os.mkdir(f"{self.folder}/out", 0o777)
        os.symlink(f"{self.folder}/out", self.path("link"))
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        for key in ("link", "file"):
            status, problem = self.server.call("POST", "/api/v1/sessions", {"session_key": key}, {"Prefer": "wait"})
            self.assertEqual((status, problem["code"]), (500, "io_error"))
        # One that somebody removed is made again.
        os.rmdir(self.path("k"))
        self.run_in(session, "echo 1 > f")
        self.assertEqual(self.read("k/f"), "1\n")

    def test_every_key_has_a_folder_of_its_own(self):
        keys = {"a:b": "a_b", "a_b": "a%5Fb", "a%5Fb": "a%255Fb", "A:b": "A_b"}
        sessions = {key: self.server.session(session_key=key) for key in keys}  # all at once
        for key, session in sessions.items():
            self.assertEqual(self.run_in(session, f"ls -A; echo '{key}' > f"), "")
        for key, folder in keys.items():
            self.assertEqual(self.read(folder, "f"), key + "\n")

    def old_folder(self, name):
        """One as a server of before TENANT/KEY left it."""
        folder = os.path.join(self.data, "workspaces", name)
        os.makedirs(folder)
        with open(folder + "/f", "w", encoding="utf-8") as file:
            file.write(name)

    # covers: C49
    def test_folders_of_an_older_server_are_found(self):
        self.server.stop()
        shutil.rmtree(f"{self.data}/workspaces")
        for name in ("plain", "default", "chat_1", "under_score", "@shop/k"):
            self.old_folder(name)
        os.mkdir(f"{self.data}/workspaces/@x_y")
        subprocess.run(["chown", "-R", "--reference", self.data, f"{self.data}/workspaces"], check=True)
        for _ in range(2):
            self.server.start()
            for key, name in (("plain", "plain"), ("default", "default"), ("chat:1", "chat_1"),
                              ("under_score", "under_score")):
                self.assertEqual(self.run_in(self.server.session(session_key=key), "cat f"), name)
            status, made = self.server.call("POST", "/api/v1/sessions", {"session_key": "k"},
                                            {"Prefer": "wait", "Atoll-Tenant": "shop"})
            self.assertEqual(status, 201, made)
            path = f"/api/v1/sessions/{made['id']}/execute"
            result = self.server.call("POST", path, {"command": "cat f"}, {"Prefer": "wait", "Atoll-Tenant": "shop"})[1]
            self.assertEqual(result["stdout"], "@shop/k", result)
            self.assertEqual(os.listdir(f"{self.data}/workspaces/.old-layout"), ["@x_y"])  # whose it is nobody knows
            self.server.stop()
        self.server.start()

    def test_more_than_the_disk_is_not_copied(self):
        session = self.server.session(session_key="k")
        self.run_in(session, "echo 1 > f")
        self.run_in(session, "truncate -s 1T holes; echo 2 > f")
        self.assertEqual(sorted(os.listdir(self.path("k"))), ["f"])
        self.assertEqual(self.read("k/f"), "1\n")
        self.run_in(session, "rm holes; head -c 300000000 /dev/zero > full || rm full; echo unreadable > u; chmod 0 u")
        self.assertEqual(self.read("k/f"), "2\n")

    # covers: C49
    def test_tenants_do_not_meet(self):
        server = Server(f"{self.folder}/two")
        self.addCleanup(server.stop)
        headers, folders = {}, {"default": "default", "a:b": "a_b", "a_b": "a%5Fb", "..": "%2E.", "x/y": "x%2Fy"}
        for tenant in folders:
            key = subprocess.run([ATOLL, "key", "create", "--data", server.data, "--role", "user", "--tenant", tenant],
                                 capture_output=True, text=True, check=True).stdout.strip()
            headers[tenant] = {"Authorization": f"Bearer {key}", "Prefer": "wait=30"}
        for tenant, folder in folders.items():
            status, session = server.call("POST", "/api/v1/sessions", {"session_key": "k"}, headers[tenant])
            self.assertEqual(status, 201, session)
            path = f"/api/v1/sessions/{session['id']}/execute"
            result = server.call("POST", path, {"command": "ls -A; echo > mine"}, headers[tenant])[1]
            self.assertEqual((result["exit_code"], result["stdout"]), (0, ""))
            self.assertEqual(os.listdir(f"{server.data}/workspaces/{folder}/k"), ["mine"])
        self.assertEqual(sorted(os.listdir(f"{server.data}/workspaces")), sorted([".layout-2", *folders.values()]))


if __name__ == "__main__":
    unittest.main()
