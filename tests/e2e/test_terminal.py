"""atoll run -it behind a real pseudo-terminal."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import support
from support import run


class Terminal:
    """A person at a terminal, running `atoll COMMAND WORDS`."""

    def __init__(self, *words, rows=30, cols=100, command="run"):
        self.master, self.slave = pty.openpty()
        self.resize(rows, cols)
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        environment = dict(os.environ, TERM="xterm-color")
        environment.pop("NO_COLOR", None)  # CI sets it; a person at a terminal did not

        def take_terminal():
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([support.ATOLL, command, *words], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        preexec_fn=take_terminal, env=environment)

    def resize(self, rows, cols):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, text):
        os.write(self.master, text.encode())

    def expect(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text.encode() not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                raise AssertionError(f"ended without {text!r}: {self.seen!r}") from None
        self.seen = self.seen.split(text.encode(), 1)[1]

    def sees(self, text, seconds):
        deadline = time.monotonic() + seconds
        while text.encode() not in self.seen and \
                select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]:
            self.seen += os.read(self.master, 65536)
        return text.encode() in self.seen

    def end(self, seconds=60):
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.05)[0]:
                self.seen += os.read(self.master, 65536)
        code = self.process.poll()
        if code is None:
            self.process.kill()
            raise AssertionError(f"did not end: {self.seen!r}")
        after = termios.tcgetattr(self.slave)
        os.close(self.master)
        os.close(self.slave)
        return code, after == self.before


class Interactive(support.Case):
    def finish(self, terminal, code):
        self.assertEqual(terminal.end(), (code, True), terminal.seen)

    def test_a_shell(self):
        terminal = Terminal("-it", "--", "bash", "--norc")
        terminal.type("tty; stty size; echo $TERM; [ -t 0 ] && echo 'is-a''-tty'\n")
        terminal.expect("/dev/pts/")
        terminal.expect("30 100")
        terminal.expect("xterm-color")
        terminal.expect("is-a-tty")
        terminal.type("exit 5\n")
        self.finish(terminal, 5)

    def test_resize_arrives(self):
        terminal = Terminal("-it", "--", "bash", "--norc")
        terminal.type("trap 'stty size' WINCH; echo rea''dy\n")
        terminal.expect("ready")
        terminal.resize(41, 77)
        # Bash looks at its traps when a line is complete, which may be before the size has arrived.
        for _ in range(120):
            terminal.type("\n")
            if terminal.sees("41 77", 0.5):
                break
        terminal.expect("41 77")
        terminal.type("exit\n")
        self.finish(terminal, 0)

    def test_ctrl_c_is_a_key_of_the_inner_terminal(self):
        terminal = Terminal("-it", "--", "bash", "--norc")
        # Before the program is there, the key would be the outer terminal's.
        terminal.type("sh -c 'trap \"echo cau\"\"ght; exit\" INT; echo rea\"\"dy; while :; do sleep 0.05; done'\n")
        terminal.expect("ready")
        terminal.type("\x03")
        terminal.expect("caught")
        terminal.type("echo al''ive\n")
        terminal.expect("alive")
        terminal.type("exit\n")
        terminal.end()

    def test_job_control(self):
        terminal = Terminal("-it", "--", "bash", "--norc")
        terminal.type("sh -c 'echo rea\"\"dy; exec sleep 60'\n")
        terminal.expect("ready")  # it has the terminal; with `exec`: who is stopped inside of vfork() stops its parent unseen
        terminal.type("\x1a")
        terminal.expect("Stopped")
        terminal.type("jobs; kill %1; exit 3\n")
        terminal.expect("sleep 60")
        terminal.type("exit 3\n")
        self.finish(terminal, 3)

    def test_end_of_input(self):
        terminal = Terminal("-it", "--", "sh", "-c", "echo ready; exec cat")
        terminal.expect("ready")
        terminal.type("line\n")
        terminal.expect("line\r\nline")
        terminal.type("\x04")
        self.finish(terminal, 0)

    def test_terminal_is_restored_after_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal = Terminal("-it", "--", "sh", "-c", "echo ready; exec sleep 30")
            terminal.expect("ready")
            terminal.process.send_signal(number)
            self.finish(terminal, 128 + number)

    def test_terminal_is_restored_after_a_crash(self):
        terminal = Terminal("-it", "--", "sh", "-c", "echo ready; exec sleep 30")
        terminal.expect("ready")
        terminal.process.send_signal(signal.SIGSEGV)
        self.finish(terminal, -signal.SIGSEGV)

    def test_terminal_is_restored_after_a_failure(self):
        terminal = Terminal("-it", "--", "no-such-program")
        terminal.expect("program_not_found")
        self.finish(terminal, 127)

    def test_json_is_pretty_and_errors_are_coloured_on_a_terminal(self):
        terminal = Terminal("-o", "json", "--", "true")
        terminal.expect('{\r\n  "exit_code": 0')
        self.finish(terminal, 0)
        terminal = Terminal("-l", "cobol", "-c", "x")
        terminal.expect("\x1b[")
        self.finish(terminal, 125)

    def test_output_only(self):
        terminal = Terminal("-t", "--", "sh", "-c", "[ -t 1 ] && stty size < /dev/tty")
        terminal.expect("30 100")
        self.finish(terminal, 0)


class WithoutATerminal(support.Case):
    def test_is_refused_with_a_hint(self):
        for words in (["-it"], ["-t"]):
            outcome = self.expect_failure(run(*words, "--", "true"), "invalid_argument")
            self.assertIn("terminal", outcome.err)

    def test_no_json_from_a_terminal(self):
        self.expect_failure(run("-it", "-o", "json", "--", "true"), "invalid_argument")


if __name__ == "__main__":
    support.main()
