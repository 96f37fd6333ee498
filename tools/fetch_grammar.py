#!/usr/bin/env python3
"""Unpacks the generated C sources of a tree-sitter grammar from its npm package, pinned by hash.

usage: fetch_grammar.py PACKAGE VERSION SHA256 OUT FILE…

FILEs are copied from the package to OUT under their own paths. Packages are kept in
~/.cache/atoll/grammars, so that only the first build asks the registry.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path(os.environ.get("HOME", "/var/tmp")) / ".cache"
    return pathlib.Path(base) / "atoll/grammars"


def package(name, version, digest):
    """The archive, from the cache or from npm."""
    kept = cache_folder() / f"{name}-{version}.tgz"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            npm = subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, check=True)
            (pathlib.Path(folder) / npm.stdout.strip().splitlines()[-1]).rename(kept)
    found = hashlib.sha256(kept.read_bytes()).hexdigest()
    if found != digest:
        kept.unlink()
        sys.exit(f"fetch_grammar.py: {name} {version} has the digest {found}, not {digest}; it is not used")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package")
    parser.add_argument("version")
    parser.add_argument("sha256")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    with tarfile.open(package(args.package, args.version, args.sha256)) as archive:
        for file in args.files:
            target = args.out / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.extractfile(f"package/{file}").read())


if __name__ == "__main__":
    main()
