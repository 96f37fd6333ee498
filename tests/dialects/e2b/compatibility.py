#!/usr/bin/env python3
"""Every pinned version of E2B's SDKs against one server, call by call, and the table of docs/compatibility.md.

usage: compatibility.py [--check]     --check: fail when the table on the disk says something else
"""
import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from dialect_case import PINNED, Server, drive_js, drive_python

PAGE = HERE.parents[2] / "docs" / "compatibility.md"
BEGIN, END = "<!-- e2b: made by ./dev test-compat -->", "<!-- end of e2b -->"
PINNED_BEGIN, PINNED_END = "<!-- pinned: made by ./dev test-compat -->", "<!-- end of pinned -->"
SHOWN = {"works": "yes", "absent": "–", "refused": "no", "fails": "FAILS", None: "–"}
# What depends on the backend, not on the version: the table is the same whatever this machine has.
BY_BACKEND = {"sandbox.updateNetwork": "yes"}
# Of the interpreter: these ignore E2B_SANDBOX_URL and ask for https. What fails in them is shown, and no error.
TOO_OLD = {"2.2.0", "2.4.2", "2.3.0"}


def table(heading, columns):
    """columns: {version: {call: (state, why)}}"""
    calls = list(dict.fromkeys(call for results in columns.values() for call in results))
    lines = [f"### {heading}", "", "| call | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for call in calls:
        cells = []
        for version, results in columns.items():
            state = results.get(call, (None,))[0]
            by_backend = state in ("works", "refused") and call in BY_BACKEND
            if state == "fails" and version in TOO_OLD:
                cells.append("no ²")
            else:
                cells.append(BY_BACKEND[call] + " ¹" if by_backend else SHOWN[state])
        lines.append(f"| {call} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def pinned():
    """The clients of the other dialects, of which the tests drive one version each."""
    sys.path.extend(str(HERE.parent / name) for name in ("opensandbox", "mcp"))
    import clients  # pylint: disable=import-outside-toplevel

    opensandbox = HERE.parent / "opensandbox"
    npm = json.loads((opensandbox / "package.json").read_text())["dependencies"]
    pypi = dict(line.split("==") for line in (opensandbox / "requirements.txt").read_text().split() if "==" in line)
    rows = [("OpenSandbox, JavaScript", "@alibaba-group/opensandbox", npm["@alibaba-group/opensandbox"]),
            *(("OpenSandbox, Python", name, pypi[name]) for name in ("opensandbox", "opensandbox-code-interpreter")),
            *(("MCP, TypeScript", *one.rsplit("@", 1)) for one in clients.NPM if "/sdk@" in one or "/client@" in one),
            *(("MCP, Python", *one.split("==")) for one in clients.PIP),
            *(("MCP", *one.rsplit("@", 1)) for one in clients.NPM if "/conformance@" in one or "/inspector@" in one)]
    lines = ["| client | package | version |", "|---|---|---|",
             *(f"| {client} | `{package}` | {version} |" for client, package, version in rows)]
    return PINNED_BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + PINNED_END


def main():
    problems = []
    with tempfile.TemporaryDirectory(prefix="atoll-compat-") as folder:
        pathlib.Path(folder).chmod(0o755)
        with Server(folder + "/data") as server:
            parts = [
                ("JavaScript: `e2b`", {v: drive_js(server, v) for v in PINNED["npm"]["e2b"]}),
                ("JavaScript: `@e2b/code-interpreter`",
                 {v: drive_js(server, v, interpreter=True) for v in PINNED["npm-interpreter"]}),
                ("Python: `e2b`", {v: drive_python(server, v) for v in PINNED["pypi"]}),
                ("Python: `e2b-code-interpreter`",
                 {i: drive_python(server, v, interpreter=True) for v, i in PINNED["pypi"].items()})]
    for heading, columns in parts:
        for version, results in columns.items():
            problems += [f"{heading} {version}, {call}: {why}" for call, (state, why) in results.items()
                         if state == "fails" and version not in TOO_OLD]
    made = BEGIN + "\n\n" + "\n".join(table(*part) for part in parts) + "\n" + END
    text = PAGE.read_text()
    new = re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: made, text, flags=re.DOTALL)
    new = re.sub(re.escape(PINNED_BEGIN) + ".*" + re.escape(PINNED_END), lambda _: pinned(), new, flags=re.DOTALL)
    if new != text:
        if "--check" in sys.argv:
            problems.append(f"{PAGE.name} differs: run ./dev test-compat and commit it")
        else:
            PAGE.write_text(new)
    print("\n".join(problems) or f"{sum(len(c) for _, c in parts)} versions, no call fails")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
