#!/usr/bin/env python3
"""Checks that files of the repository name no machine, no package registry host and no author's tool.

usage: check_repo_words.py [FILE…] | --self-test      (default: all files that git does not ignore)
"""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THIS = pathlib.Path(__file__).name

# Pattern, what is wrong with it, and files (globs) where it is about the product and not a leak.
FORBIDDEN = [
    (r"(?<![\w.$}])/work/", "a path of one machine", []),
    # The sandbox hides root's home, so the code that hides it and the tests that look for it name it.
    (r"(?<![\w.$}])/root/", "a path of one machine", ["tests/*", "src/*_test.cpp", "docs/threat-model.md"]),
    (r"(?<![\w.$}])/home/(?!user\b|USER\b|agent\b|\$|\*)\w+", "a path of one machine", ["tests/*", "src/*_test.cpp"]),
    (r"\b(?:deb|security|ftp)\.debian\.org\b", "the host of a package registry", []),
    (r"\b(?:archive|security)\.ubuntu\.com\b", "the host of a package registry", []),
    (r"\b(?:registry\.npmjs\.org|registry\.yarnpkg\.com)\b", "the host of a package registry", []),
    (r"\b(?:pypi\.org|pythonhosted\.org|crates\.io|rubygems\.org|proxy\.golang\.org)\b", "the host of a package registry", []),
    (r"\b(?:registry-1|index|auth)\.docker\.io\b|\bdocker\.io/\w", "the host of a package registry", []),
    (r"\b(?:ghcr|quay|gcr)\.io/", "the host of a package registry", []),
    (r"\bapt\.llvm\.org\b", "the host of a package registry", []),
    (r"(?i)\bco-authored-by:", "says how the text was made", []),
    (r"(?i)\b(?:generated|written|made) (?:by|with) (?:an? )?(?:ai|llm|language model|assistant)\b", "says how the text was made", []),
]
COMPILED = [(re.compile(pattern), reason, allowed) for pattern, reason, allowed in FORBIDDEN]


def problems_in(rel, text):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, reason, allowed in COMPILED:
            match = pattern.search(line)
            if match and not any(fnmatch.fnmatch(rel, glob) for glob in allowed):
                yield f"{rel}:{number}: \"{match.group(0)}\" is {reason}" if reason.startswith(("a ", "the ")) \
                    else f"{rel}:{number}: \"{match.group(0)}\" {reason}"


def repository_files():
    run = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"],
                         cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:  # not a clone
        return [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*")
                if p.is_file() and p.relative_to(ROOT).parts[0] not in {"build", ".git"}]
    return sorted(set(filter(None, run.stdout.split("\0"))))


def self_test():
    joined = "".join
    cases = [
        ("docs/a.md", joined(["see /wo", "rk/main"]), 1),
        ("docs/a.md", "mkdir /workspace/x and $PWD/work/x", 0),
        ("src/x.cpp", joined(['"/ro', 'ot/.ssh"']), 1),
        ("tests/security/cases/1.cpp", joined(['"/ro', 'ot/.ssh"']), 0),
        ("docs/a.md", joined(["deb.debian", ".org"]), 1),
        ("bench/run.py", "apt-get install docker.io", 0),
        ("docs/a.md", joined(["docker.", "io/library/x"]), 1),
    ]
    bad = [case for case in cases if len(list(problems_in(case[0], case[1]))) != case[2]]
    for case in bad:
        print(f"wrong: {case}")
    print(f"check_repo_words self-test: {len(cases) - len(bad)} of {len(cases)} cases right")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description="no machine paths, registry hosts or authors' tools")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    files, problems = args.files or repository_files(), []
    for rel in files:
        path = ROOT / rel
        if path.name == THIS or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            problems += problems_in(rel, data.decode(errors="replace"))
    for problem in problems:
        print(problem)
    print(f"check_repo_words: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
