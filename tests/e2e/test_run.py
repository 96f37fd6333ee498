"""atoll run: commands, languages, scripts, stdin, exit status."""
import os

import support
from support import run


class Commands(support.Case):
    # covers: atoll run
    def test_runs_a_command(self):
        self.expect(run("--", "/bin/echo", "hello"), out="hello\n", err="")

    def test_looks_programs_up_in_path(self):
        self.expect(run("echo", "a", "b"), out="a b\n")

    def test_arguments_after_the_program_are_its_own(self):
        self.expect(run("echo", "-o", "json", "--help"), out="-o json --help\n")

    # covers: atoll run, C30
    def test_passes_the_exit_status_on(self):
        self.expect(run("--", "sh", "-c", "exit 42"), code=42)

    def test_a_signal_is_128_plus_n(self):
        self.expect(run("--", "sh", "-c", "kill -TERM $$"), code=143)

    def test_stdout_and_stderr_stay_apart(self):
        self.expect(run("--", "sh", "-c", "echo out; echo err >&2"), out="out\n", err="err\n")

    # covers: C30
    def test_missing_program_is_127(self):
        self.expect_failure(run("--", "no-such-program-here"), "program_not_found", 127)
        self.expect_failure(run("--", "/no/such/program"), "program_not_found", 127)

    # covers: C30
    def test_program_that_cannot_run_is_126(self):
        self.expect_failure(run("--", "/etc/passwd"), "program_not_executable", 126)
        self.expect_failure(run("--", "/usr"), "program_not_executable", 126)

    def test_workdir_and_hostname(self):
        self.expect(run("--workdir", "/usr", "--", "pwd"), out="/usr\n")
        self.expect(run("--", "pwd"), out="/workspace\n")
        self.expect(run("--hostname", "box-7", "--", "uname", "-n"), out="box-7\n")

    def test_a_hostname_resolves(self):
        code = "import socket; print(*map(socket.gethostbyname, (socket.gethostname(), 'localhost', 'atoll')))"
        for options in ((), ("--hostname", "box-7"), ("--hostname", "box-7", "--writable-root")):
            self.expect(run(*options, "--", "python3", "-c", code), out="127.0.0.1 127.0.0.1 127.0.0.1\n")
        hosts = self.expect(run("--hostname", "box-7", "--", "sh", "-c", "cat /etc/hosts; echo x >> /etc/hosts"), code=2).out
        self.assertTrue(hosts.endswith("\n127.0.0.1 box-7\n"), hosts)

    def test_empty_and_odd_arguments_arrive(self):
        self.expect(run("--", "printf", "[%s]", "", "a b", "ü", "*", "-"), out="[][a b][ü][*][-]")


class Preload(support.Case):
    def test_a_module_that_is_not_there_is_told(self):
        """Where there are zygotes; the run itself starts plainly, and so it does without."""
        for attempt in range(10):  # a run waits two seconds for the new zygote's word, which a busy machine may need
            module = f"no_such_module_{os.getpid()}_{attempt}"
            done = self.expect(run("--preload", module, "-c", "print(1)"), out="1\n")
            told = f"atoll: warning: --preload: {module} cannot be loaded: ModuleNotFoundError: No module named '{module}'\n"
            if done.err:
                break
        self.assertEqual(done.err, told if os.geteuid() == 0 else done.err)
        self.expect(run("-q", "--preload", f"{module}_too", "-c", "print(1)"), out="1\n", err="")

    def test_names_of_modules_are_looked_at(self):
        for bad in ("", "a,,b", "1a", "a-b", "a b", "a.", "x," * 30 + "x", "a" * 500):
            self.expect_failure(run("--preload", bad, "-c", "print(1)"), "invalid_argument")

    def test_what_is_repeated_does_not_command_the_terminal(self):
        done = run("--preload", "a\x1b[31mb", "-c", "print(1)")
        self.expect_failure(done, "invalid_argument")
        self.assertIn("`a?[31mb`", done.err)


class Languages(support.Case):
    def test_code_is_python_without_a_language(self):
        self.expect(run("-c", "print(6 * 7)"), out="42\n")

    def test_names_and_aliases(self):
        for name in ("python", "py"):
            self.expect(run("-l", name, "-c", "print('p')"), out="p\n")
        for name in ("bash", "sh", "shell"):
            self.expect(run("-l", name, "-c", "echo ${BASH_VERSION:+b}"), out="b\n")

    def test_javascript(self):
        for name in ("javascript", "js", "node"):
            self.expect(run("-l", name, "-c", "console.log('j', process.argv.slice(1))", "x", "-y"),
                        out="j [ 'x', '-y' ]\n")

    def test_arguments_of_code(self):
        self.expect(run("-c", "import sys; print(sys.argv[1:])", "a", "-b"), out="['a', '-b']\n")
        self.expect(run("-l", "sh", "-c", "echo $0 $1 $2", "a", "-b"), out="bash a -b\n")

    def test_code_from_stdin(self):
        self.expect(run("-l", "python", "-", stdin="print(1)"), out="1\n")
        self.expect(run("-", "x", stdin="import sys; print(sys.argv[1])"), out="x\n")
        self.expect(run("-l", "js", "-", stdin="console.log(2)"), out="2\n")

    def test_scripts_by_suffix(self):
        python = self.file("hello.py", "import sys, os\nprint(sys.argv, os.getcwd())\n")
        self.expect(run(python, "a"), out="['/workspace/hello.py', 'a'] /workspace\n")
        self.expect(run(self.file("hello.sh", "echo $1"), "a"), out="a\n")
        self.expect(run(self.file("hello.bash", "echo b")), out="b\n")
        self.expect(run(self.file("hello.js", "console.log(3)")), out="3\n")
        self.expect(run(self.file("hello.mjs", "import os from 'os'; console.log(4)")), out="4\n")

    def test_language_makes_any_file_a_script(self):
        self.expect(run("-l", "python", self.file("tool", "print('t')")), out="t\n")

    def test_a_script_without_a_known_suffix_is_told_how(self):
        outcome = run(self.file("code.txt", "print(1)\n"))
        self.assertEqual(outcome.code, 127)
        self.assertIn("-l LANGUAGE", outcome.err)
        self.assertNotIn("-l LANGUAGE", run("nosuchprogram").err)

    def test_after_two_dashes_a_script_is_a_program(self):
        self.expect_failure(run("--", "hello.py"), "program_not_found", 127)

    def test_a_script_that_only_root_can_read(self):
        secret = self.file("secret.py", "print('read')", mode=0o600)
        self.expect(run(secret), out="read\n")

    def test_long_code_goes_as_a_file(self):
        code = "x = 1\n" * 50_000 + "print('long')"
        self.expect(run("-", stdin=code), out="long\n")
        self.expect(run(self.file("long.py", code)), out="long\n")

    def test_a_script_beside_a_mounted_workspace(self):
        script = self.file("here.py", "import os; print(sorted(os.listdir('/workspace')))")
        data = self.folder / "data"
        data.mkdir(mode=0o755)
        (data / "one").write_text("1")
        self.expect(run("--mount", f"{data}:/workspace:ro", script), out="['one']\n")
        self.assertEqual([entry.name for entry in data.iterdir()], ["one"])


class Stdin(support.Case):
    def test_empty_without_i(self):
        self.expect(run("--", "cat", stdin="lost"), out="")

    def test_passed_on_with_i(self):
        self.expect(run("-i", "--", "cat", stdin="kept\0\xff"), out="kept\0\xff")

    def test_from_a_file_and_from_dev_null(self):
        path = self.file("input", "from a file\n")
        with open(path, "rb") as file:
            self.expect(run_with_stdin(file, "-i", "--", "cat"), out="from a file\n")
        with open("/dev/null", "rb") as file:
            self.expect(run_with_stdin(file, "-i", "--", "cat"), out="")

    def test_large_input_and_program_that_stops_reading(self):
        big = b"0123456789abcdef" * 500_000
        self.assertEqual(self.expect(run("-i", "--", "md5sum", stdin=big)).out.split()[0],
                         __import__("hashlib").md5(big).hexdigest())
        self.expect(run("-i", "--", "head", "-c", "4", stdin=big), out="0123")


def run_with_stdin(file, *words):
    import subprocess
    return support.Outcome(subprocess.run([support.ATOLL, "run", *words], stdin=file, capture_output=True, timeout=60))


if __name__ == "__main__":
    support.main()
