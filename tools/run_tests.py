#!/usr/bin/env python3
"""Runs ctest over a build and holds it to the rules: a time budget per label, no skip that is not listed.

usage: run_tests.py BUILD [--slower N] [--tests REGEX]… [LABEL…]

Verdicts on budgets and skips come before ctest's own closing lines, which are the last thing printed.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPECTED_SKIPS = ROOT / "tests/expected_skips.txt"

# Seconds that all tests of a label may take together on two cores: about twice what they need on a
# quiet machine. A new label needs a line here.
BUDGETS = {
    "unit": 150,
    "routes": 150,  # the whole server in one process, with time-outs and timers to wait for
    "conformance": 240,
    "integration": 480,
    "backends": 600,
    "security": 600,
    "leak": 300,
    "e2e": 1200,
    "sdks": 1000,  # package managers, compilers of other languages, and servers for each
    "dialects": 480,
    "fuzz": 90,
    "network": 450,
    "bench": 180,
}
# Tests that count the host's objects or bomb it, so nothing may run beside them. CMake marks them
# RUN_SERIAL; this only checks that it did.
ALONE = {"security", "leak", "bench"}

CLOSING = re.compile(r"^\d+% tests passed, ")
NO_CASES = re.compile(r"^(\[==========\] 0 tests |Ran 0 tests )", re.MULTILINE)
SKIPPED_IN_GTEST = re.compile(r"^\[  SKIPPED \] ([\w/.]+)(?: \(\d+ ms\))?$", re.MULTILINE)


def environment():
    """Names of what this host lacks, for the first column of expected_skips.txt."""
    found = {"any"}
    if os.geteuid() != 0:
        found.add("not-root")
    found.add("cgroup-v2" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "cgroup-v1")
    try:
        if int(pathlib.Path("/proc/sys/user/max_user_namespaces").read_text()) == 0:
            found.add("no-userns")
    except OSError:
        found.add("no-userns")
    if not os.path.exists("/dev/kvm"):
        found.add("no-kvm")
    return found


def expected_skips():
    rules = []
    for line in EXPECTED_SKIPS.read_text().splitlines():
        line = line.split("#", 1)[0].split()
        if len(line) >= 2:
            rules.append((line[0], line[1]))
    return rules


def known_tests(build):
    """Test name -> (labels, runs alone)."""
    run = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = {}
    for test in json.loads(run.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        tests[test["name"]] = (properties.get("LABELS", []), properties.get("RUN_SERIAL", False))
    return tests


def check_registration(tests):
    for name, (labels, alone) in sorted(tests.items()):
        if not labels:
            yield f"{name} has no label"
        for label in labels:
            if label not in BUDGETS:
                yield f"label {label} of {name} has no time budget in tools/run_tests.py"
        if ALONE & set(labels) and not alone:
            yield f"{name} must be RUN_SERIAL"


def check_results(report, tests, slower):
    """Yields problems, and prints how long each label took. A machine may be `slower` than its budgets."""
    spent, environments, rules = {}, environment(), expected_skips()
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name = case.get("name")
        for label in tests.get(name, ([], False))[0]:
            spent[label] = spent.get(label, 0.0) + float(case.get("time") or 0)
        output = case.findtext("system-out") or ""
        if NO_CASES.search(output):
            yield f"{name} ran no case: the filter finds none"
        skips = [name] if case.find("skipped") is not None else []
        skips += SKIPPED_IN_GTEST.findall(output)
        for skip in sorted(set(skips)):
            if not any(where in environments and fnmatch.fnmatch(skip, glob) for where, glob in rules):
                yield f"{skip} ({name}) was skipped and is not in tests/expected_skips.txt for {', '.join(sorted(environments))}"
    for label, seconds in sorted(spent.items()):
        budget = BUDGETS.get(label, 0) * slower
        print(f"  {label:12} {seconds:7.1f} s of {budget}")
        if seconds > budget:
            yield f"label {label} took {seconds:.1f} s, its budget is {budget} s"


def main():
    parser = argparse.ArgumentParser(description="ctest with budgets and a list of permitted skips")
    parser.add_argument("build")
    parser.add_argument("--slower", type=int, default=1, help="how much slower than two real cores this machine is")
    parser.add_argument("--tests", action="append", default=[], help="only those whose whole name matches; may be repeated")
    parser.add_argument("labels", nargs="*")
    args = parser.parse_intermixed_args()

    tests = known_tests(args.build)
    known = {label for labels, _ in tests.values() for label in labels}
    unknown = set(args.labels) - known
    if unknown:
        sys.exit(f"no tests with label {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    for pattern in args.tests:
        if not any(re.fullmatch(pattern, name) for name in tests):
            sys.exit(f"no test is named {pattern}")
    problems = list(check_registration(tests))
    report = pathlib.Path(args.build).resolve() / "test-report.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", args.build, "-j2", "--output-on-failure", "--no-label-summary", "--no-tests=error",
               "--timeout", str(600 * args.slower), "--output-junit", str(report), "--test-output-size-passed", "4000000",
               "--test-output-size-failed", "4000000"]
    if args.labels:
        command += ["-L", "^(" + "|".join(args.labels) + ")$"]
    if args.tests:
        command += ["-R", "^(" + "|".join(args.tests) + ")$"]
    held = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            if held or CLOSING.match(line):
                held.append(line)
            else:
                print(line, end="", flush=True)
    if report.exists():
        problems += check_results(report, tests, args.slower)
    for problem in problems:
        print(f"PROBLEM: {problem}")
    print("".join(held), end="", flush=True)
    return ctest.returncode or (1 if problems else 0)


if __name__ == "__main__":
    sys.exit(main())
