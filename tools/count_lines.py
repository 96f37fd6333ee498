#!/usr/bin/env python3
"""Counts every line of ours that goes into the programs that guard a sandbox.

Sources come from the build graph (all objects of all libraries that a program links, used or not),
headers by following #include "…" from them. Lines of code count; blank lines and lines that are only a
comment do not (docs/adr/0048-smaller-launcher.md).

usage: count_lines.py --build DIR [--verbose] | --self-test
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

BUDGETS = {"atoll-launcher": 2590, "atoll-guest": 5490, "atoll-mounts": 1900, "atoll-zygote": 1850,
           "atoll-net": 880}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parent.parent


def sources_of(build, program):
    """Files of ours among the inputs of bin/PROGRAM; None when the build has no such program."""
    run = subprocess.run(["ninja", "-C", str(build), "-t", "inputs", f"bin/{program}"], capture_output=True, text=True)
    if run.returncode != 0:
        return None
    found = set()
    for line in run.stdout.splitlines():
        path = (build / line.strip()).resolve()
        if path.suffix in {".c", ".cpp", ".S"} and path.is_file():
            found.add(path)
    return found


def reachable(sources, include_root):
    """The sources and every header of ours that they include, directly or not."""
    seen, todo = set(), list(sources)
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(errors="replace")):
            for candidate in (include_root / name, path.parent / name):
                if candidate.is_file():
                    todo.append(candidate.resolve())
                    break
    return seen


def line_count(path):
    lines = (line.strip() for line in path.read_text(errors="replace").splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def report(program, budget, files, verbose):
    counts = sorted(((line_count(path), path) for path in files), reverse=True)
    total = sum(count for count, _ in counts)
    verdict = "ok" if total <= budget else f"OVER by {total - budget}"
    print(f"{program}: {total} of {budget} lines in {len(counts)} files: {verdict}")
    if verbose or total > budget:
        for count, path in counts:
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
            print(f"  {count:6} {shown}")
    return total <= budget


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "src/a").mkdir(parents=True)
        (root / "src/a/x.hpp").write_text('#pragma once\n#include "a/y.hpp"\n')
        (root / "src/a/y.hpp").write_text('#pragma once\n#include "a/x.hpp"\n\n// end\n')
        (root / "src/a/unused.hpp").write_text("1\n2\n")
        (root / "src/a/m.cpp").write_text('#include "a/x.hpp"\n#include <string>\nint main() {}\n')
        files = reachable({(root / "src/a/m.cpp").resolve()}, root / "src")
        total = sum(map(line_count, files))
    good = len(files) == 3 and total == 7
    print(f"count_lines self-test: {'right' if good else f'wrong: {len(files)} files, {total} lines'}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description="line budgets of the launcher and the guest")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--verbose", action="store_true", help="list the files")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    good = True
    for program, budget in BUDGETS.items():
        sources = sources_of(args.build.resolve(), program)
        if not sources:
            print(f"{program}: not in {args.build}")
            good = False
            continue
        good &= report(program, budget, reachable(sources, ROOT / "src"), args.verbose)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
