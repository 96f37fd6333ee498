"""The section `srt`: sandboxes behind srt through `atoll serve`, beside the plain srt with the same settings."""
import json
import os
import pathlib
import subprocess
import sys
import time

CREATE = "create a sandbox behind srt"
FIRST = "create, then the first true, behind srt"
EXEC = "true in a running sandbox behind srt"
BYTES = 64 << 20
UID = 64124  # srt does not run as root


def timed(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1000


def package():
    """The node and the script that the backend uses, in the order in which it looks."""
    caches = [os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "/var/cache"]
    for cache in caches[1:] if os.geteuid() == 0 else caches:
        for folder in pathlib.Path(cache, "atoll").glob("srt-*.*.*"):
            return [str(folder / "node"), str(folder / "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js")]
    raise RuntimeError("srt is missing; run `atoll backends install srt`")


class Plain:
    """srt by itself: every command is a sandbox of its own."""

    def __init__(self, folder):
        self.workspace = folder / "workspace"
        self.workspace.mkdir(parents=True)
        self.command = [*package(), "--settings", str(folder / "settings.json"), "-c"]
        self.user = UID if os.geteuid() == 0 else None
        (folder / "settings.json").write_text(json.dumps(
            {"network": {"allowedDomains": [], "deniedDomains": []},
             "filesystem": {"denyRead": [], "allowWrite": [str(self.workspace)], "denyWrite": []}}))
        if self.user:
            os.chown(self.workspace, UID, UID)

    def run(self, command):
        subprocess.run([*self.command, command], cwd=self.workspace, user=self.user, group=self.user, check=True,
                       extra_groups=[] if self.user else None, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def srt(out, bin_dir, scratch, quick):
    os.environ["ATOLL_BIN"] = str(bin_dir)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/e2e"))
    from server import Server

    rounds = 5 if quick else 20
    scratch.chmod(0o711)  # the server is another user
    plain = Plain(scratch / "srt")
    with Server(str(scratch / "srt-data"), "--no-auth", "--backend", "srt", "--set", "pool.size=0") as server:
        create = lambda: server.session(template_id="shell-default")
        session = create()
        run = lambda where: server.execute(where, command=["true"])
        mine = {name: [] for name in (CREATE, FIRST, EXEC)}
        alone = []
        for _ in range(rounds):
            alone.append(timed(lambda: plain.run("true")))
            mine[EXEC] += [timed(lambda: run(session)) for _ in range(10)]
            made = []
            mine[CREATE].append(timed(lambda: made.append(create())))
            mine[FIRST].append(mine[CREATE][-1] + timed(lambda: run(made[0])))
            server.call("DELETE", f"/api/v1/sessions/{made[0]}")
        for case in (CREATE, FIRST, EXEC):
            out.add_latency("srt", case, "atoll", "", mine[case])
            out.add_latency("srt", case, "srt", "", alone)
        path = f"/api/v1/sessions/{session}/files/content"
        content = os.urandom(BYTES)
        for case, function in (("upload", lambda: server.call("PUT", path, content)),
                               ("download", lambda: server.call("GET", path))):
            best = min(timed(function) for _ in range(3))
            out.add_value("srt", f"{case} of 64 MiB, behind srt", "atoll", "MB/s", BYTES / best / 1000)
