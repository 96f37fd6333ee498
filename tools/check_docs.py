#!/usr/bin/env python3
"""Checks that links in the documents lead somewhere and that the files they name exist.

usage: check_docs.py
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
NAMED = re.compile(r"`((?:src|apps|tests|tools|bench|docs|cmake)/[\w./*-]+)`")
CASE = re.compile(r"`(\d\d_[\w*]+)`")  # a security case


def problems_in(path):
    rel = path.relative_to(ROOT)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for target in LINK.findall(line):
            if not (path.parent / target).exists():
                yield f"{rel}:{number}: link to {target} leads nowhere"
        for name in NAMED.findall(line):
            if not any(ROOT.glob(name.rstrip("/"))):
                yield f"{rel}:{number}: there is no {name}"
        for name in CASE.findall(line):
            if not any(ROOT.glob(f"tests/security/cases/{name}.*")):
                yield f"{rel}:{number}: there is no tests/security/cases/{name}"


def left_out():
    """Folders and programs that the architecture does not name."""
    path = ROOT / "docs/architecture.md"
    text = path.read_text()
    folders = [p.name for p in (ROOT / "src").iterdir() if p.is_dir() and p.name != "backends"]
    folders += [f"backends/{p.name}" for p in (ROOT / "src/backends").iterdir() if p.is_dir()]
    folders += [p.name for p in (ROOT / "apps").iterdir() if p.is_dir()]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    folders += {name.split("/")[0] for name in tracked if "/" in name and name[0] != "."} - {"src"}
    for name in sorted(set(folders)):
        if f"`{name}`" not in text:
            yield f"docs/architecture.md: `{name}` is missing"


def main():
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]
    problems = [problem for path in sorted(files) for problem in problems_in(path)]
    problems += left_out()
    for problem in problems:
        print(problem)
    print(f"check_docs: {len(files)} documents, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
