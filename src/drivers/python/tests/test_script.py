"""Mode script against the real interpreter: the same output, the same end."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import corpus
from support import DEADLINE, PYTHON, SCRIPT, environment


def text_of(output):
    return re.sub("0x[0-9a-f]+", "0x…", output.decode("utf-8", "backslashreplace"))


class ScriptPlain(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-script-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        corpus.write_files(self.folder)
        tag = subprocess.run(
            [PYTHON, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        packages = self.folder / "home/.local/lib" / tag / "site-packages"
        packages.mkdir(parents=True)
        (packages / "ofuser.py").write_text("")

    def outcome(self, command, stdin, env):
        done = subprocess.run(
            command,
            input=stdin.encode(),
            capture_output=True,
            timeout=DEADLINE,
            cwd=self.folder,
            env={name: value for name, value in environment(**env).items() if value},
        )
        return done.returncode, text_of(done.stdout), text_of(done.stderr)

    def compare(self, words, stdin="", env=None):
        env = {name: value.format(folder=self.folder) for name, value in (env or {}).items()}
        words = [word.replace("{folder}", str(self.folder)) for word in words]
        self.assertEqual(
            self.outcome(self.ours(words), stdin, env), self.outcome([PYTHON, *words], stdin, env)
        )

    def ours(self, words):
        return [PYTHON, "-c", SCRIPT, "script", *words]

    def test_programs_as_code(self):
        for name, code, arguments, stdin in corpus.PROGRAMS:
            with self.subTest(name):
                self.compare(["-c", code, *arguments], stdin)

    def test_programs_as_files(self):
        for name, code, arguments, stdin in corpus.PROGRAMS:
            with self.subTest(name):
                (self.folder / "program.py").write_text(code, encoding="utf-8")
                self.compare(["program.py", *arguments], stdin)

    def test_commands(self):
        for name, words, env in corpus.COMMANDS:
            with self.subTest(name):
                self.compare(words, env=env)


if __name__ == "__main__":
    unittest.main()
