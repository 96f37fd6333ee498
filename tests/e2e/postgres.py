"""A PostgreSQL for one test."""
import glob
import os
import pwd
import shutil
import signal
import subprocess

from server import DEADLINE, until
from support import IS_ROOT


class Postgres:
    """A server of PostgreSQL for one test, which can be taken away and brought back."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        (self.bin,) = glob.glob("/usr/lib/postgresql/*/bin")[:1]
        self.user = pwd.getpwnam("postgres") if IS_ROOT else pwd.getpwuid(os.getuid())
        folder.mkdir()
        shutil.chown(folder, self.user.pw_uid, self.user.pw_gid)
        self.run("initdb", "-D", folder / "data", "-U", "atoll", "-A", "trust", "--no-sync")
        self.start()
        self.run("createdb", "-h", folder, "-U", "atoll", "atoll")

    def command(self, *words):
        identity = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if IS_ROOT else {}
        return {"args": [f"{self.bin}/{words[0]}", *map(str, words[1:])], "stdout": subprocess.DEVNULL,
                "stderr": subprocess.DEVNULL, "cwd": "/", **identity}

    def run(self, *words):
        subprocess.run(**self.command(*words), check=True, timeout=DEADLINE)

    def start(self):
        self.process = subprocess.Popen(**self.command("postgres", "-D", self.folder / "data", "-k", self.folder, "-F",
                                                       "-c", "listen_addresses=", *self.options))
        until(self.is_ready, "PostgreSQL starts")

    def is_ready(self):
        try:
            text = (self.folder / "data" / "postmaster.pid").read_text()
        except OSError:
            return False
        return text.startswith(f"{self.process.pid}\n") and "ready" in text

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(DEADLINE)
