"""Environment, mounts, file system policy, and what of the host is visible."""
import os
import unittest

import support
from support import run

needs_root = unittest.skipUnless(support.IS_ROOT, "needs a uid of its own")


class Environment(support.Case):
    def test_given_and_taken_from_the_caller(self):
        outcome = run("-e", "A=1", "-e", "B=x=y z", "-e", "FROM_CALLER", "-e", "NOT_THERE", "--", "env",
                      env={"FROM_CALLER": "yes", "SECRET": "no"})
        lines = self.expect(outcome).out.splitlines()
        for line in ("A=1", "B=x=y z", "FROM_CALLER=yes"):
            self.assertIn(line, lines)
        self.assertNotIn("SECRET", outcome.out)
        self.assertNotIn("NOT_THERE", outcome.out)

    def test_env_file(self):
        path = self.file("env", "# a note\n\nA=file\nB=file\nFROM_CALLER\n", mode=0o600)
        lines = run("--env-file", path, "-e", "A=line", "--", "env", env={"FROM_CALLER": "yes"}).out.splitlines()
        for line in ("A=line", "B=file", "FROM_CALLER=yes"):
            self.assertIn(line, lines)

    def test_bad_ones(self):
        self.expect_failure(run("-e", "=x", "--", "true"), "invalid_argument")
        self.expect_failure(run("--env-file", "/no/such/file", "--", "true"), "not_found")
        bad = self.file("bad", "A=1\n=2\n")
        self.assertIn("line 2", self.expect_failure(run("--env-file", bad, "--", "true"), "invalid_argument").err)

    def test_python_is_unbuffered_and_home_is_inside(self):
        lines = run("--", "env").out.splitlines()
        self.assertIn("PYTHONUNBUFFERED=1", lines)
        self.assertIn("HOME=/workspace", lines)


class Mounts(support.Case):
    def test_read_only_is_the_default(self):
        self.file("one", "content")
        for mode in ("", ":ro"):
            mount = f"{self.folder}:/data{mode}"
            self.expect(run("--mount", mount, "--", "cat", "/data/one"), out="content")
            self.assertNotEqual(run("--mount", mount, "--", "touch", "/data/two").code, 0)
        self.assertFalse((self.folder / "two").exists())

    def test_writable(self):
        self.file("one", "content")
        self.expect(run("--mount", f"{self.folder}:/data:rw", "--", "sh", "-c", "echo new > /data/two; rm /data/one"))
        self.assertEqual((self.folder / "two").read_text(), "new\n")
        self.assertFalse((self.folder / "one").exists())
        self.assertEqual((self.folder / "two").stat().st_uid, os.geteuid())

    def test_a_single_file_and_several(self):
        one, two = self.file("one", "1"), self.file("two", "2")
        self.expect(run("--mount", f"{one}:/a", "--mount", f"{two}:/b/c", "--", "cat", "/a", "/b/c"), out="12")

    def test_a_single_file_to_write(self):
        one = self.file("one", "old")
        one.chmod(0o644)
        self.expect(run("--mount", f"{one}:/data/one:rw", "--", "sh", "-c", "echo new > /data/one"))
        self.assertEqual(one.read_text(), "new\n")

    def test_scripts_never_land_in_mounts(self):
        script = self.file("script.sh", "echo ran\n")
        host = self.folder / "host"
        host.mkdir()
        (host / "script.sh").write_text("the user's own")
        mounts = ["--mount", f"{host}:/workspace:rw", "--mount", f"{host}:/tmp:rw"]
        self.expect(run(*mounts, str(script)), out="ran\n")
        self.assertEqual((host / "script.sh").read_text(), "the user's own")

    def test_relative_source_and_odd_names(self):
        (self.folder / "a:b c").mkdir(mode=0o755)
        (self.folder / "a:b c" / "f").write_text("x")
        self.expect(run("--mount", "./a:b c:/data:ro", "--", "cat", "/data/f", cwd=self.folder), out="x")

    def test_bad_ones(self):
        for text in ("", "x", "/tmp", "/tmp:relative", ":/x", "/tmp:/x:zz", "/tmp:/x/../y", "/tmp:/", "/tmp:/proc", "/tmp:/dev/x"):
            self.expect_failure(run("--mount", text, "--", "true"), "invalid_argument")
        self.expect_failure(run("--mount", "/no/such/place:/data", "--", "true"), "not_found")
        self.expect_failure(run("--mount", "/dev/null:/data", "--", "true"), "invalid_argument")

    def test_too_many(self):
        words = [word for i in range(40) for word in ("--mount", f"{self.folder}:/d{i}")]
        self.expect_failure(run(*words, "--", "true"), "too_large")

    def test_workdir_that_is_not_there(self):
        self.expect_failure(run("--workdir", "/no/such/folder", "--", "true"), "invalid_argument")
        self.expect_failure(run("--workdir", "relative", "--", "true"), "invalid_argument")


class Policy(support.Case):
    def test_deny_read(self):
        outcome = run("--deny-read", "/etc/passwd", "--", "cat", "/etc/passwd")
        self.assertEqual((outcome.out, outcome.code != 0), ("", True), outcome)

    def test_deny_read_with_a_glob(self):
        outcome = run("--deny-read", "/etc/pass*", "--", "cat", "/etc/passwd")
        self.assertEqual((outcome.out, outcome.code != 0), ("", True), outcome)

    def test_a_glob_in_a_linked_folder(self):
        self.assertTrue(os.path.islink("/bin"))
        self.expect(run("--", "cat", "/bin/printenv", "/usr/bin/printenv"))
        for rule in ("/bin/print*v", "/b*n/printenv"):
            for path in ("/bin/printenv", "/usr/bin/printenv"):
                outcome = run("--deny-read", rule, "--", "cat", path)
                self.assertEqual((outcome.out, outcome.code != 0), ("", True), (rule, outcome))

    def test_deny_write(self):
        self.assertNotEqual(run("--deny-write", "/workspace", "--", "touch", "/workspace/x").code, 0)
        self.expect(run("--deny-write", "/workspace", "--", "touch", "/tmp/x"))

    def test_allow_write(self):
        self.expect(run("--allow-write", "/workspace", "--", "touch", "/workspace/x"))

    def test_allow_write_opens_a_folder_for_this_sandbox_only(self):
        self.assertNotEqual(run("--", "touch", "/usr/local/x").code, 0)
        self.expect(run("--allow-write", "/usr/local", "--", "touch", "/usr/local/atoll-e2e"))
        self.assertFalse(os.path.exists("/usr/local/atoll-e2e"))

    def test_globs_match_in_mounts(self):
        for name in ("a.env", "b.env", "c.txt"):
            self.file(name, "secret")
        mount = ["--mount", f"{self.folder}:/data:rw"]
        outcome = run(*mount, "--deny-read", "/data/*.env", "--", "sh", "-c", "cat /data/a.env /data/b.env; cat /data/c.txt")
        self.assertEqual(outcome.out, "secret", outcome)
        self.assertNotEqual(run(*mount, "--deny-write", "/data/*.txt", "--", "sh", "-c", "echo > /data/c.txt").code, 0)
        self.assertEqual((self.folder / "c.txt").read_text(), "secret")

    def test_a_file_that_must_not_appear(self):
        self.assertNotEqual(run("--deny-write", "~/new", "--", "sh", "-c", "echo x > /workspace/new").code, 0)

    def test_a_denied_path_cannot_be_moved_away(self):
        hooks = self.folder / "sub" / "hooks"
        hooks.mkdir(parents=True)
        mount = ["--mount", f"{self.folder}:/data:rw"]
        attack = "mv /data/sub /data/s; mkdir -p /data/sub/hooks && echo evil > /data/sub/hooks/post"
        self.expect(run(*mount, "--", "sh", "-c", attack))  # without the rule it works
        self.assertTrue((hooks / "post").exists())
        (hooks / "post").unlink()
        self.assertNotEqual(run(*mount, "--deny-write", "/data/sub/hooks", "--", "sh", "-c", attack).code, 0)
        self.assertFalse((hooks / "post").exists())

    def test_rules_that_cannot_hold_are_refused(self):
        for path in ("/proc/self/status", "/dev/null", "/"):
            self.expect_failure(run("--deny-read", path, "--", "true"), "policy_unsupported")

    def test_any_depth(self):
        (self.folder / "deep" / "er").mkdir(parents=True)
        (self.folder / "deep" / "er" / "id.key").write_text("secret")
        mount = ["--mount", f"{self.folder}:/data"]
        outcome = run(*mount, "--deny-read", "/data/**/*.key", "--", "cat", "/data/deep/er/id.key")
        self.assertEqual((outcome.out, outcome.code != 0), ("", True), outcome)

    def test_bad_ones(self):
        for pattern in ("", "/a/../b", "~root/x"):
            self.expect_failure(run("--deny-read", pattern, "--", "true"), "invalid_argument")
        self.expect_failure(run("--deny-read", "/usr/bin/*", "--", "true"), "too_large")


class Inside(support.Case):
    def test_no_file_of_the_caller(self):
        self.file("mine", "x")
        self.assertNotEqual(run("--", "ls", self.folder).code, 0)
        for path in ("/root", "/etc/shadow"):
            outcome = run("--", "sh", "-c", f"cat {path} || ls -A {path}")
            self.assertEqual(outcome.out, "", path)

    @needs_root
    def test_identity(self):
        self.assertNotEqual(run("--", "id", "-u").out, "0\n")

    def test_system_folders_are_read_only(self):
        for path in ("/usr/x", "/x", "/etc/x", "/bin/x"):
            self.assertNotEqual(run("--", "touch", path).code, 0, path)

    def test_nothing_stays(self):
        self.expect(run("--", "touch", "/workspace/left", "/tmp/left"))
        self.expect(run("--", "sh", "-c", "ls -A /workspace /tmp | grep left"), code=1)


class WritableRoot(support.Case):
    def sh(self, script, *options, **more):
        return run("-q", "--writable-root", *options, "--", "sh", "-c", script, **more)

    def test_the_user_owns_the_root(self):
        for folder in ("", "/etc", "/opt", "/var", "/home", "/srv"):
            self.expect(self.sh(f"mkdir {folder}/data && echo x > {folder}/data/y && cat {folder}/data/y"), out="x\n")
        self.expect(self.sh("echo 127.0.0.2 me >> /etc/hosts && tail -n 1 /etc/hosts"), out="127.0.0.2 me\n")
        self.expect(self.sh("sed -i s/user/other/ /etc/passwd && grep -c other /etc/passwd"), out="1\n")
        self.expect(self.sh("rm /etc/os-release && echo x > /etc/os-release && rmdir /run && ls -d /run"), code=2)
        self.assertIn("Read-only file system", run("--", "mkdir", "/data").err)

    def test_what_stays_as_it_is(self):
        for path in ("/usr/x", "/usr/local/x", "/dev/x", "/proc/x", "/opt/atoll/x", "/mnt/x", "/etc/ssl/certs/x"):
            self.assertNotEqual(self.sh(f"touch {path}").code, 0, path)
        self.expect(self.sh("ls /mnt 2>/dev/null; echo /mnt/*; df -P /workspace / | awk '{print $2}' | sort -u | wc -l"),
                    out="/mnt/*\n2\n")

    def test_one_limit_for_all(self):
        self.expect(self.sh("head -c 20m /dev/zero > /x; head -c 20m /dev/zero > /workspace/x; "
                            "cat /x /workspace/x | wc -c | awk '{print ($1 < 33554433)}'", "--disk", "32m"), out="1\n")

    def test_policy_holds(self):
        self.expect(self.sh("echo x > /etc/hosts; mv /etc /e; echo x > /new/thing; mv /new /n; cat /etc/passwd; test -s /new/thing",
                            "--deny-write", "/etc/hosts", "--deny-write", "/new/thing", "--deny-read", "/etc/passwd"), code=1, out="")
        # He could put something else in the place of the link.
        self.expect_failure(self.sh("true", "--deny-write", "/etc/mtab"), "invalid_argument")

    def test_mounts(self):
        given = self.file("given", "x")
        self.expect(self.sh("cat /data/in; touch /data/in || echo no", "--mount", f"{given}:/data/in"), out="xno\n")

    def test_nothing_stays(self):
        self.expect(self.sh("touch /left /etc/left"))
        self.expect(self.sh("ls -A / /etc | grep left"), code=1)

    @needs_root
    def test_a_zygote_enters_it(self):
        for _ in range(2):
            self.expect(run("-q", "--writable-root", "--preload", "none", "-c", "print(open('/data', 'x').write('1'))"), out="1\n")


if __name__ == "__main__":
    support.main()
