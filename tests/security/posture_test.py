#!/usr/bin/env python3
"""The whole posture of a process in a sandbox against an expected record, and `atoll` from outside.

usage: posture_test.py --build DIR [--print]

expected_posture.json maps each key to the list of its values. A value is a regular expression that
must match the whole; "{host}" in a namespace stands for "not the host's". --print shows what is there.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness

HERE = Path(__file__).resolve().parent


POSTURE = ["/cases/posture"]
# The same from a zygote: its fork becomes the program. Python ignores these two signals, always.
FORKED = ["python3", "-c", "import os, signal; [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGPIPE, "
          "signal.SIGXFSZ)]; os.execv('/cases/posture', ['/cases/posture'])"]
ZYGOTE = ["--preload", "none"]


def observed(programs, command=POSTURE, **kwargs):
    out = programs.run(command, stderr=subprocess.DEVNULL, **kwargs)
    if out.code != 0:
        raise AssertionError(f"posture ended with {out.code}: {out.tail()}")
    record = {}
    for line in out.output.splitlines():
        item = json.loads(line)
        record.setdefault(item["key"], []).append(item["value"])
    return record


def compare(record, expected):
    problems = []
    for key in sorted(set(record) | set(expected)):
        have, want = record.get(key, []), expected.get(key, [])
        if key not in expected:
            problems.append(f"{key}: not expected at all: {have}")
            continue
        unmatched = list(have)
        for pattern in want:
            optional = pattern.startswith("?")
            hit = next((v for v in unmatched if re.fullmatch(pattern.removeprefix("?"), v)), None)
            if hit is not None:
                unmatched.remove(hit)
            elif not optional:
                problems.append(f"{key}: {pattern!r} is missing among {have}")
        if unmatched:
            problems.append(f"{key}: not expected: {unmatched}")
    return problems


def check_forked(programs, name):
    """A zygote is left by the first run and found by a later one."""
    def found():
        return "from a zygote" in programs.run(["python3", "-c", "pass"], options=[*ZYGOTE, "-v"]).output
    if programs.rootless:
        return []
    if not harness.poll_until(found, 60):
        return ["no zygote came"]
    return check_inside(programs, name, FORKED, options=ZYGOTE, filters="5")


def check_inside(programs, name, command=POSTURE, options=(), filters=None):
    record = observed(programs, command, options=options)
    expected = json.loads((HERE / name).read_text())
    if filters is not None:  # a zygote's own come on top
        expected["Seccomp_filters"] = [filters]
    for key, values in record.items():
        if key.startswith("ns_"):
            kind = key[3:]
            host = os.readlink(f"/proc/self/ns/{kind}")
            # Time namespaces carry no right that user code could use; the clocks are guarded by seccomp.
            if kind != "time" and values == [host]:
                return [f"{key}: the host's own {host}"]
    return compare(record, expected)


def check_outside(programs):
    """While `atoll run`, started as root, waits for its program."""
    problems = []
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]) as process:
        family = {"atoll": process.pid}
        for pid in harness.descendants(process.pid):
            family.setdefault(harness.name_of(pid), pid)
        status = harness.status_of(family["atoll"])
        if not programs.rootless and "0" in status["Uid"].split():
            problems.append(f"atoll runs with uids {status['Uid']}")
        if not programs.rootless and "0" in status["Gid"].split():
            problems.append(f"atoll runs with gids {status['Gid']}")
        if not programs.rootless and status.get("Groups", "").strip():
            problems.append(f"atoll kept groups {status['Groups']}")
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb", *(() if programs.rootless else ("CapBnd",))):
            if int(status[name], 16) != 0:
                problems.append(f"atoll has {name} {status[name]}")
        if status["NoNewPrivs"] != "1":
            problems.append("atoll runs without no_new_privs")
        launcher = family.get("atoll-launcher")
        if launcher is None:
            problems.append(f"no launcher below atoll: {family}")
        else:
            facts = harness.status_of(launcher)
            if facts.get("Threads") != "1":
                problems.append("the launcher has more than one thread")
            if not programs.rootless and (facts.get("Seccomp"), facts.get("NoNewPrivs")) != ("2", "1"):
                problems.append("the launcher runs without a filter or without no_new_privs")
        inside = [pid for pid in harness.with_marker(mark) if harness.name_of(pid).startswith("26_shared")]
        guest = harness.parent_of(inside[0])
        for pid, who in ((inside[0], "user code"), (guest, "the guest")):
            uids = harness.status_of(pid)["Uid"].split()
            if "0" in uids:
                problems.append(f"{who} is root on the host: {uids}")
        if not programs.rootless and set(harness.status_of(guest)["Uid"].split()) & set(harness.status_of(inside[0])["Uid"].split()):
            problems.append("guest and user code share a uid")
        if harness.status_of(guest).get("Seccomp") != "2":
            problems.append("the guest runs without a filter")
        # What an ordinary user of the host can do to the run folder: nothing.
        for folder in ("/run/atoll",):
            if not programs.rootless and os.path.isdir(folder):
                mode = os.stat(folder).st_mode & 0o777
                if mode & 0o066:
                    problems.append(f"{folder} has mode {mode:o}")
                for name in os.listdir(folder):
                    if name.endswith(".sock") and os.lstat(os.path.join(folder, name)).st_mode & 0o077:
                        problems.append(f"{name} is open to others")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--print", action="store_true", dest="show")
    parser.add_argument("--rootless", action="store_true")
    options = parser.parse_args()
    if options.show:
        programs = harness.Programs(Path(options.build), rootless=options.rootless)
        print(json.dumps(observed(programs), indent=1))
        programs.close()
        return 0
    failed = False
    for rootless, name in ((False, "expected_posture.json"), (True, "expected_posture_rootless.json")):
        programs = harness.Programs(Path(options.build), rootless=rootless)
        try:
            who = "rootless" if rootless else "root"
            for what, check in (("inside", lambda: check_inside(programs, name)),
                                ("forked", lambda: check_forked(programs, name)), ("outside", lambda: check_outside(programs))):
                try:
                    problems = check()
                except (AssertionError, OSError, KeyError, IndexError) as error:
                    problems = [f"{type(error).__name__}: {error}"]
                for problem in problems:
                    failed = True
                    print(f"FAIL  {who}, {what}: {problem}")
                if not problems:
                    print(f"ok    {who}, {what}")
        finally:
            programs.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
