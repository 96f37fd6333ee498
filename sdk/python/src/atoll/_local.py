"""A server of this process: `Sandbox.local()` starts the installed `atoll` once, and it ends with the process."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Optional

from ._errors import SandboxError

# The shell outlives us by a moment: when the pipe at its standard input closes, however this process ended, it ends
# the server and removes its data.
SCRIPT = """
"$1" serve --listen 127.0.0.1:0 --data "$2/data" </dev/null 2>"$2/log" &
server=$!
exec >/dev/null
cat
kill "$server" 2>/dev/null
wait "$server"
rm -rf "$2"
"""


@dataclass
class LocalServer:
    url: str
    api_key: str = field(repr=False)
    process: subprocess.Popen[str] = field(repr=False)

    def stop(self) -> None:
        """Ends the server and everything in it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


_lock = threading.Lock()
_running: Optional[LocalServer] = None
_owner: Optional[int] = None


def find_atoll() -> str:
    """The program: in the folder that ATOLL_BIN names, or on the PATH."""
    folder = os.environ.get("ATOLL_BIN")
    found = os.path.join(folder, "atoll") if folder else shutil.which("atoll")
    if not found or not os.access(found, os.X_OK):
        raise SandboxError(
            "there is no `atoll` on the PATH; install it with `./dev install` in a clone, name its folder by "
            "ATOLL_BIN, or use a server by Sandbox.create(url=…)",
            code="atoll_not_installed",
        )
    return found


def local_server() -> LocalServer:
    """That of this process, started when it is first asked for. A forked child gets one of its own."""
    global _running, _owner
    with _lock:
        if _running is None or _owner != os.getpid() or _running.process.poll() is not None:
            _running, _owner = _start(find_atoll()), os.getpid()
            atexit.register(_running.stop)
        return _running


def _start(program: str) -> LocalServer:
    folder = tempfile.mkdtemp(prefix="atoll-local-")
    os.chmod(folder, 0o755)  # root's server works as another user; its data folder is closed
    key = subprocess.run(
        [program, "key", "create", "--data", f"{folder}/data", "--role", "owner"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if key.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise SandboxError(f"atoll could not make a key: {key.stderr.strip()}", code="local_server_failed")
    process = subprocess.Popen(
        ["/bin/sh", "-c", SCRIPT, "sh", program, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for us; what it means for the server is our business
    )
    server = LocalServer("", key.stdout.strip(), process)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("atoll listens on "):
            server.url = line.split()[-1]
            return server
    with open(f"{folder}/log", encoding="utf-8", errors="replace") as log:
        said = log.read()[-500:].strip()
    server.stop()
    raise SandboxError(f"atoll serve did not start: {said}", code="local_server_failed")
