"""The programs as they are shipped: small, static, all walls up, no signal by number."""

import json
import re
import subprocess
import sys
from pathlib import Path

from direct.common import check, expect

SOURCE = Path(__file__).resolve().parents[3]


@check(34, root_only="counted in the root pass")
def programs_are_small(programs):
    """Lines of the launcher and the guest with everything of ours that they link."""
    counted = subprocess.run([sys.executable, SOURCE / "tools/count_lines.py", "--build", programs.build], capture_output=True, text=True)
    expect(counted.returncode == 0, "; ".join(line for line in counted.stdout.splitlines() if "lines in" in line) or counted.stderr)


@check(34)
def programs_are_static_and_whole(programs):
    for name in ("atoll-launcher", "atoll-mounts", "atoll-net", "atoll-zygote", "atoll-guest"):
        data = (programs.build / "bin" / name).read_bytes()
        expect(b"/lib64/ld-linux" not in data, f"{name} is not static")
        expect(b"ATOLL_TEST_WALLS_OFF" not in data, f"{name} knows how to drop a wall")
    size = (programs.build / "bin" / "atoll-guest").stat().st_size
    expect(size < 2 << 20, f"atoll-guest has {size} bytes")


@check(34)
def shipped_atoll_ignores_the_switch(programs):
    """The variable of the weak twins means nothing to the real programs."""
    out = programs.run(["/cases/09_namespaces", "user"], env={"ATOLL_TEST_WALLS_OFF": "seccomp,no_new_privs,user_namespace"})
    expect(out.how == "EPERM", f"{out.how} {out.tail()}")


WALLS = ("user_namespace", "pid_namespace", "network_namespace", "ipc_namespace", "uts_namespace", "cgroup_namespace",
         "memory_limit", "cpu_limit", "pids_limit", "no_capabilities", "no_new_privs", "seccomp", "landlock_scopes",
         "read_only_root", "masked_proc", "own_uids", "disk_limit", "file_limits", "clean_start")
# Walls that cannot stand without another one.
NEEDS = {"no_new_privs": ("seccomp", "landlock_scopes"), "user_namespace": ("own_uids", "no_capabilities")}


def reported(programs, off):
    out = programs.run(["/bin/true"], off, options=["-o", "json"], stderr=subprocess.DEVNULL)
    expect(out.code == 0, f"without {off}: exit {out.code} {out.tail()}")
    return json.loads(out.output)["isolation"]


@check(34, root_only="an ordinary user's sandbox has fewer walls to begin with")
def isolation_is_reported_truthfully(programs):
    """Every wall that is down is reported as missing, and none is when all are up."""
    expect(reported(programs, None)["missing"] == [], f"missing: {reported(programs, None)['missing']}")
    for wall in WALLS:
        off = (wall, *NEEDS.get(wall, ()))
        isolation = reported(programs, off)
        for name in off:
            # Scopes protect a guest that has no uid of its own; where it has one, they are not claimed.
            if name == "landlock_scopes" and "own_uids" not in off:
                expect(name not in isolation["layers"], f"{name} is down and reported as {isolation}")
                continue
            expect(name in isolation["missing"] and name not in isolation["layers"], f"{name} is down and reported as {isolation}")


# Signals by number, and why each is safe.
KILL_BY_NUMBER = {
    "src/engine/sys.cpp": "a child that only this function reaps",
    "src/engine/zygote_child.cpp": "signal 0 to everybody: whether anybody is left in the keeper's own pid namespace",
}


@check(35)
def no_signal_by_number(programs):
    for path in [*(SOURCE / "src/engine").glob("*.cpp"), *(SOURCE / "apps/atoll-launcher").glob("*.cpp")]:
        text = path.read_text()
        for match in re.finditer(r"(?<![\w_])(::)?(kill|killpg|tgkill|sigqueue)\s*\(", text):
            name = str(path.relative_to(SOURCE))
            expect(name in KILL_BY_NUMBER, f"{name} signals by number: {text[match.start():match.end() + 30]!r}")
