#!/usr/bin/env python3
"""The official clients of the Model Context Protocol, pinned, in ~/.cache/atoll.

usage: clients.py --install   installs them where the cache lacks them
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
# node is a package as well: the suite and the Inspector need a newer one than Debian has.
NPM = ["node@22.23.3", "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/sdk@1.32.2",
       "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/inspector@2.12.0"]
PIP = ["mcp==2.3.0"]


def folder():
    """Its name is that of what is in it."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/mcp"
    return cache / hashlib.sha256(" ".join([*NPM, *PIP, sys.version]).encode()).hexdigest()[:16]


def node():
    return str(folder() / "node_modules/node/bin/node")


def python():
    return str(folder() / "python/bin/python")


def module(name):
    return str(folder() / "node_modules" / name)


def environment(**more):
    """For programs of npm, which look for `node` by name."""
    path = f"{folder()}/node_modules/node/bin:{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "NO_COLOR": "1", **more}


def install():
    place = folder()
    if (place / "complete").exists():
        return
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "package.json").write_text('{"private": true}\n')
    subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--loglevel=error", *NPM], cwd=place, check=True)
    venv.create(place / "python", with_pip=True)
    subprocess.run([place / "python/bin/pip", "install", "--quiet", "--disable-pip-version-check", *PIP], check=True)
    subprocess.run([node(), "--version"], check=True, stdout=subprocess.DEVNULL)
    (place / "complete").touch()


if __name__ == "__main__":
    if sys.argv[1:] != ["--install"]:
        sys.exit(__doc__)
    install()
