#!/usr/bin/env python3
"""Runs the security cases: every attack first with its walls down (it must get through), then behind
all walls (it must be stopped as the table says).

usage: run_cases.py --build DIR [--rootless] [--list] [--verbose] [LINE | LINE.NAME]…
"""

import argparse
import os
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import direct
import harness
import scenarios
from cases import CASES

HERE = Path(__file__).resolve().parent
SKIPPED = 77
PENDING_TOO = bool(os.environ.get("ATOLL_TEST_PENDING"))  # also what waits for its repair


def expected_skips():
    """What may be skipped, KEY → reason; a key ends with @rootless where only that pass may."""
    skips = {}
    for line in (HERE / "expected_skips.txt").read_text().splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            key, _, reason = line.partition(" ")
            skips[key] = reason.strip()
    return skips


def label(case):
    parts = [case.key, *(arg for arg in case.args if not arg.startswith("{"))]
    around = f"@{case.scenario}" if case.scenario == "generous_limits" else ""
    return ".".join(parts) + around + ("@writable-root" if "--writable-root" in case.options else "")


def run_once(programs, case, off):
    with scenarios.get(case.scenario)(programs, case, off) as around:
        if around is None:
            return None
        folder = around.values.get("program_folder", "/cases")
        arguments = [f"{folder}/{case.program}", case.name,
                     *(text.format(**around.values) if "{" in text else text for text in case.args)]
        options = ["--timeout", f"{60 * harness.SLOWER}s", *case.options, *(case.limits if off is None else ()), *around.options]
        if case.tty:
            return programs.run_on_terminal(arguments, off, options, sandbox_tty=case.tty == "inside")
        return programs.run(arguments, off, options, env=around.env, **around.kwargs)


def judge(programs, case):
    """Empty when the case holds, else what is wrong."""
    problems = []
    if case.off is not None and harness.LINUX >= case.since and not (programs.rootless and case.control_root_only):
        limited = any(wall.endswith("_limit") for wall in case.off)
        for _ in range(5 if limited else 1):
            # A slot that was busy a moment ago still has its last limits: then it is another's turn.
            if limited:
                harness.reset_idle_slots()
            out = run_once(programs, case, case.off)
            if out is None or out.how == "THROUGH":
                break
        if out is not None and out.how != "THROUGH":
            problems.append(f"control ({', '.join(case.off) or 'handed over'}): {out.how}, must get through\n{out.tail()}")
    out = run_once(programs, case, None)
    if case.works:
        if out.how != "THROUGH":
            problems.append(f"must work inside, but: {out.how}\n{out.tail()}")
    elif out.how not in case.expect and not (programs.rootless and out.how in case.rootless_expect):
        problems.append(f"behind all walls: {out.how}, expected {' or '.join(case.expect)}\n{out.tail()}")
    return problems, out


def selected(line, name, wanted):
    if not wanted:
        return True
    return any(int(item) == line if item.isdigit() else name.startswith(item) for item in wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rootless", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("wanted", nargs="*")
    options = parser.parse_args()

    chosen = [case for case in CASES if selected(case.line, label(case), options.wanted)]
    checks = [c for c in direct.CHECKS if selected(c.line, f"{c.line:02d}.{c.__name__}", options.wanted)]
    if options.list:
        for case in chosen:
            control = "no control: " + case.why if case.off is None else "control without " + (", ".join(case.off) or case.why)
            print(f"{label(case):40} {' | '.join(case.expect) if not case.works else 'works'}; {control}")
        for one in checks:
            print(f"{one.line:02d}.{one.__name__:37} direct check")
        return 0
    if not chosen and not checks:
        print(f"no case is called {options.wanted}", file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        print("the security cases need root: for the weak twins, and to become an ordinary user", file=sys.stderr)
        return 2

    skips = expected_skips()
    pass_name = "rootless" if options.rootless else "root"
    programs = harness.Programs(Path(options.build), rootless=options.rootless)
    failed, passed, skipped = [], 0, 0
    # A product that cannot run /bin/true would fail every case in the same words.
    for off in (None, ()):
        out = programs.run(["/bin/true"], off)
        if out.code != 0:
            print(f"the {'real' if off is None else 'weak'} programs cannot run /bin/true: {out.how}\n{out.tail()}")
            programs.close()
            return 1

    def skip(name, reason):
        nonlocal skipped
        listed = name in skips or f"{name}@{pass_name}" in skips
        if listed:
            skipped += 1
            print(f"skip  {name}: {reason}")
        else:
            failed.append(name)
            print(f"FAIL  {name}: skipped without being listed in expected_skips.txt: {reason}")

    try:
        for case in chosen:
            name = label(case)
            if options.rootless and case.root_only:
                skip(name, case.root_only)
                continue
            if case.pending and not PENDING_TOO:
                skip(name, case.pending)
                continue
            try:
                problems, out = judge(programs, case)
            except scenarios.Unavailable as reason:
                skip(name, str(reason))
                continue
            except Exception as error:  # a broken scenario is a failed case, the others still run
                problems, out = [f"{type(error).__name__}: {error}"], None
                if options.verbose:
                    traceback.print_exc()
            if problems:
                failed.append(name)
                for problem in problems:
                    print(f"FAIL  {name}: {problem}")
            else:
                passed += 1
                print(f"ok    {name}: {out.how}" + (f"  ({out.tail(200)})" if options.verbose else ""))
        for one in checks:
            name = f"{one.line:02d}.{one.__name__}"
            if options.rootless and one.root_only:
                skip(name, one.root_only)
                continue
            if one.pending and not PENDING_TOO:
                skip(name, one.pending)
                continue
            try:
                one(programs)
                passed += 1
                print(f"ok    {name}")
            except Exception as error:
                failed.append(name)
                print(f"FAIL  {name}: {error if isinstance(error, AssertionError) else repr(error)}")
                if options.verbose:
                    traceback.print_exc()
    finally:
        programs.close()
    print(f"{pass_name}: {passed} held, {len(failed)} failed, {skipped} skipped")
    if failed:
        return 1
    return SKIPPED if skipped and not passed else 0


if __name__ == "__main__":
    sys.exit(main())
