#!/usr/bin/env python3
"""Runs clang-tidy on changed files, or on all; remembers clean results, so a second run is quick.

usage: tidy.py --build DIR [--all] [--jobs N] [FILE…]

Changed means: since the branch left its upstream, plus what is not committed; on a branch without
changes of its own, the last commit. A changed header is seen through one source file that includes it.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from count_lines import ROOT, reachable

TIDY = "clang-tidy-19"


def git(*args):
    run = subprocess.run(["git", "-c", "safe.directory=*", *args], cwd=ROOT, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def changed_files():
    """Paths relative to the root, or None when git cannot tell."""
    head = git("rev-parse", "HEAD")
    if head is None:
        return None
    uncommitted = (git("diff", "--name-only", "HEAD") or "").splitlines()
    uncommitted += (git("ls-files", "-o", "--exclude-standard") or "").splitlines()
    base = None
    for upstream in ("@{upstream}", "origin/HEAD", "origin/main"):
        base = git("merge-base", "HEAD", upstream)
        if base:
            break
    if base in (None, head):
        base = git("rev-parse", "HEAD~1") if not uncommitted else head
    if base is None:
        return None  # the first commit: everything is new
    return uncommitted + (git("diff", "--name-only", base, "HEAD") or "").splitlines()


def compile_commands(build):
    """Source file -> its entry, with precompiled headers (which may not be built) as plain includes."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        args = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
        if path.is_relative_to(ROOT) and not path.is_relative_to(build.resolve()):
            args = [re.sub(r"\.pch$", "", arg) for arg in args if arg != "-Winvalid-pch"]
            args = ["-include" if arg == "-include-pch" else arg for arg in args]
            if os.path.basename(args[0]) == "ccache":
                args = args[1:]
            entries.setdefault(path, {"directory": entry["directory"], "file": str(path), "arguments": args})
    return entries


def choose(entries, names):
    """The source files to look at for these changed names."""
    wanted = {ROOT / name for name in names}
    chosen = {path for path in entries if path in wanted}
    headers = {path for path in wanted if path.suffix == ".hpp" and path.is_file()}
    for path in sorted(entries):
        if not headers:
            break
        if path.with_suffix(".hpp") in headers or path in chosen:
            headers -= reachable({path}, ROOT / "src")
            chosen.add(path)
    for path in sorted(entries):
        covered = reachable({path}, ROOT / "src") & headers
        if covered:
            headers -= covered
            chosen.add(path)
    return sorted(chosen)


def fingerprint(entry):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update("\0".join(entry["arguments"]).encode())
    for path in sorted(reachable({pathlib.Path(entry["file"])}, ROOT / "src")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def lint(path, database):
    run = subprocess.run([TIDY, "--quiet", "-p", str(database), str(path)], capture_output=True, text=True)
    noise = re.compile(r"^\d+ warnings? (generated|treated as errors?)\.?$|^Suppressed |^Use -header-filter")
    text = "\n".join(line for line in (run.stdout + run.stderr).splitlines() if not noise.match(line))
    return run.returncode == 0, text


def main():
    parser = argparse.ArgumentParser(description="clang-tidy on changed files")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()

    entries = compile_commands(args.build)
    names = args.files or (None if args.all else changed_files())
    chosen = sorted(entries) if names is None else choose(entries, names)
    cache = args.build / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "compile_commands.json").write_text(json.dumps([entries[path] for path in chosen]))

    todo = {path: fingerprint(entries[path]) for path in chosen}
    todo = {path: mark for path, mark in todo.items() if not (cache / mark).exists()}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {pool.submit(lint, path, cache): path for path in todo}
        for done in concurrent.futures.as_completed(runs):
            path = runs[done]
            good, text = done.result()
            if good:
                (cache / todo[path]).touch()
            else:
                failed += 1
                print(text or f"{path.relative_to(ROOT)}: {TIDY} failed", flush=True)
    print(f"tidy: {len(chosen)} files, {len(chosen) - len(todo)} unchanged since they were clean, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
