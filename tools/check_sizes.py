#!/usr/bin/env python3
"""Reports long source files: aim for 150 lines, think again at 400 (listed), split at 800 (fails).

usage: check_sizes.py
"""
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THINK_AT, SPLIT_AT = 400, 800


def main():
    sizes = {}
    for top in ("src", "apps", "tests", "bench", "tools"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix in {".cpp", ".hpp", ".c", ".h", ".py", ".sh"}:
                sizes[path.relative_to(ROOT).as_posix()] = len(path.read_text(errors="replace").splitlines())
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size > THINK_AT:
            print(f"  {size:5} {name}{': split it' if size > SPLIT_AT else ''}")
    median = statistics.median(sizes.values()) if sizes else 0
    print(f"check_sizes: {len(sizes)} files, median {median:.0f} lines, longest {max(sizes.values(), default=0)}")
    return 1 if any(size > SPLIT_AT for size in sizes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
