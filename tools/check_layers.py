#!/usr/bin/env python3
"""Checks that every #include points down. The table below is the architecture (docs/architecture.md).

usage: check_layers.py [--root DIR] | --self-test
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Folder of src/ -> what its files may include besides their own folder. An entry with a slash is one
# header, an entry without is a whole folder. A folder that is missing here may not exist.
GROUND = ["base", "async", "codec", "observe", "model"]
ALLOWED = {
    "base": [],
    "confine": ["base"],
    "async": ["base"],
    "codec": ["base"],
    "observe": ["base"],
    "model": ["base"],
    "bodies": ["base", "codec", "model"],
    "images": GROUND,
    "guest": ["base", "confine"],
    "engine": ["base", "confine", "guest/start.hpp", "guest/host_places.hpp"],
    "enter": ["confine"],
    "sandbox": GROUND + ["guest"],
    "drivers": ["base"],
    "contexts": GROUND + ["guest", "sandbox", "drivers"],
    "policy": ["base", "codec"],
    "store": GROUND,
    "config": GROUND + ["egress"],
    "bus": GROUND,
    "http": GROUND,
    "egress": GROUND + ["confine"],
    "backends": GROUND + ["guest", "sandbox", "http", "config"],
    "backends/native": GROUND + ["guest", "sandbox", "config", "drivers", "confine", "engine"],
    "backends/docker": GROUND + ["guest", "sandbox", "config", "http", "confine/walls.hpp"],
    "backends/srt": GROUND + ["guest", "sandbox", "config", "confine/walls.hpp"],
    "node": GROUND + ["config", "egress", "sandbox", "images", "guest/pack.hpp"],
    "control": GROUND + ["policy", "config", "sandbox", "contexts", "drivers", "store", "bus", "node", "egress", "guest/pack.hpp"],
    "client": GROUND + ["bodies", "http"],
    "api": GROUND + ["policy", "bodies", "http", "control", "node", "config", "sandbox", "contexts", "guest"],
    "server": GROUND + ["policy", "config", "egress", "sandbox", "contexts", "drivers", "images", "store", "http", "node", "control", "api", "cli"],
    "cli": GROUND + ["policy", "bodies", "egress", "config", "sandbox", "contexts", "drivers", "client", "images", "confine/walls.hpp", "engine/egress_sockets.hpp"],
}

# The protocols of api/ do not know each other: what several need is in api/common. MCP shows sessions
# and results in REST's form.
PROTOCOLS = {
    "api/rest": [],
    "api/e2b": [],
    "api/opensandbox": [],
    "api/mcp": ["api/rest/session_body.hpp", "api/rest/views.hpp", "api/rest/execution_body.hpp"],
}

# What the tests of a folder may include besides: doubles, and what they set up.
TESTS_ALSO = {
    "config": [f"backends/{name}/config.hpp" for name in ("docker", "kubernetes", "opensandbox", "srt")],
    "node": ["contexts/test_sandbox.hpp"],
}

# Headers from outside: pattern, the files that may include it, and why nobody else may.
FOREIGN = [
    (r"boost/beast", r"src/http/transport\.(cpp|hpp)", "Beast stays in http/transport"),
    (r"boost/asio(/co_spawn)?\.hpp", r"src/(async|http)/.*\.cpp", "co_spawn costs seconds of compile time a file"),
    (r"boost/", r"(?!src/(base|confine|guest|engine|enter)/|apps/atoll-(guest|launcher|mounts|zygote)/).*", "no Boost in base, confine, guest, engine, enter"),
    (r"expected$", r"src/(base/expected|engine/failure)\.hpp", "base/expected.hpp is the one that is [[nodiscard]]"),
    (r"(iostream|regex)$", r"(?!src/(base|confine|guest|engine|enter)/|apps/atoll-(guest|launcher|mounts|zygote)/).*", "too big for the static programs"),
]

# What a folder may reach by no way, tests aside: headers and names that come along with allowed headers.
HIDDEN = {
    "api": (r"control/live_", r"\bstore::|\bLive(Session|Execution)(Ptr)?\b",
            "ask a service of control, which gives structs of model"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".cpp", ".hpp", ".c", ".h", ".inc"}


def layer_of(parts):
    """The layer of a path below src/, or None."""
    if parts[0] == "backends" and len(parts) > 2:
        name = "/".join(parts[:2])
        return name if name in ALLOWED else "backends"
    return parts[0] if parts[0] in ALLOWED else None


def may_include(layer, folder, target):
    """`folder` is the includer's own folder: src/<layer>, or src/backends/<name>."""
    own = "/".join(folder)
    if target == own or target.startswith(own + "/"):
        return True
    return any(target == entry if "/" in entry else target.startswith(entry + "/") for entry in ALLOWED[layer])


def may_speak(folder, target):
    """Whether a file of api/ may include a header of api/."""
    if not target.startswith("api/") or folder not in PROTOCOLS and folder != "api/common":
        return True
    return target.startswith((folder + "/", "api/common/")) or target in PROTOCOLS.get(folder, [])


def check_file(root, path):
    rel = path.relative_to(root).as_posix()
    in_src = rel.startswith("src/")
    parts = pathlib.PurePosixPath(rel).parts[1:]
    is_test = path.stem.endswith("_test") or rel.startswith("tests/")
    layer = layer_of(parts) if in_src else None
    if in_src and layer is None:
        yield f"{rel}:1: src/{parts[0]} is no layer; known are {', '.join(ALLOWED)}"
        return
    folder = parts[:2] if parts[0] == "backends" and len(parts) > 2 else parts[:1]
    hidden = HIDDEN.get(layer) if not is_test and not path.stem.startswith("test_") else None
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if hidden and match and re.match(hidden[0], match.group(2)):
            yield f'{rel}:{number}: {layer} may not include "{match.group(2)}": {hidden[2]}'
        if hidden and not match and (name := re.search(hidden[1], line.split("//")[0])):
            yield f"{rel}:{number}: {layer} may not use {name.group()}: {hidden[2]}"
        if not match:
            continue
        kind, target = match.groups()
        if kind == '"' and in_src and not (is_test and target.startswith(("support/", "tests/"))):
            if not (root / "src" / target).exists() and (path.parent / target).exists():
                yield f'{rel}:{number}: write "{target}" with its path from src/'
            elif not (may_include(layer, folder, target) or ((is_test or path.stem.startswith("test_")) and target in TESTS_ALSO.get(layer, []))):
                allowed = ", ".join(ALLOWED[layer]) or "nothing else of ours"
                yield f'{rel}:{number}: {"/".join(folder)} may not include "{target}"; it may include: {allowed}'
            elif not is_test and not path.stem.startswith("test_") and not may_speak("/".join(parts[:2]), target):
                yield f'{rel}:{number}: {"/".join(parts[:2])} may not include "{target}": what protocols share is in api/common'
        if kind == "<" and not is_test:
            for pattern, users, reason in FOREIGN:
                if re.match(pattern, target) and not re.fullmatch(users, rel):
                    yield f"{rel}:{number}: <{target}> is not for this file: {reason}"
                    break


def check(root):
    files = [p for top in ("src", "apps", "tests", "bench") if (root / top).is_dir()
             for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES]
    return len(files), [problem for path in files for problem in check_file(root, path)]


def self_test():
    cases = {  # file -> (content, number of problems)
        "src/base/a.hpp": ("#include <string>\n", 0),
        "src/base/b.cpp": ('#include "base/a.hpp"\n#include "guest/wire.hpp"\n', 1),
        "src/base/c.cpp": ("#include <boost/json.hpp>\n", 1),
        "src/base/d.cpp": ("#include <expected>\n", 1),
        "src/base/expected.hpp": ("#include <expected>\n", 0),
        "src/guest/wire.hpp": ('#include "base/a.hpp"\n', 0),
        "src/guest/agent.hpp": ('#include "engine/slot.hpp"\n', 1),
        "src/engine/slot.hpp": ('#include "guest/start.hpp"\n#include "guest/agent.hpp"\n', 1),
        "src/sandbox/s.hpp": ('#include "async/task.hpp"\n#include "engine/slot.hpp"\n', 1),
        "src/backends/native/n.cpp": ('#include "engine/slot.hpp"\n#include "backends/native/n.hpp"\n', 0),
        "src/backends/docker/d.cpp": ('#include "engine/slot.hpp"\n#include "backends/native/n.hpp"\n', 2),
        "src/cli/run.cpp": ('#include "confine/walls.hpp"\n#include "confine/seccomp.hpp"\n', 1),
        "src/cli/short.cpp": ('#include "run.cpp"\n', 1),
        "src/sandbox/s_test.cpp": ('#include "support/x.hpp"\n#include <boost/asio/co_spawn.hpp>\n', 0),
        "src/sandbox/t.cpp": ("#include <boost/asio/co_spawn.hpp>\n", 1),
        "src/misc/m.cpp": ("", 1),
        "src/api/rest/a.cpp": ('#include "control/live_session.hpp"\n#include "store/store.hpp"\n', 2),
        "src/api/rest/b.cpp": ("control::LiveSessionPtr session;  // store::Page\nstore::Page page;\n", 2),
        "src/api/rest/b_test.cpp": ("store::Page page;\n", 0),
        "src/api/mcp/a.cpp": ('#include "api/rest/views.hpp"\n#include "api/rest/call.hpp"\n', 1),
        "src/api/e2b/a.cpp": ('#include "api/rest/views.hpp"\n#include "api/common/text.hpp"\n', 1),
        "src/api/common/a.cpp": ('#include "api/mcp/call.hpp"\n', 1),
        "src/api/e2b/a_test.cpp": ('#include "api/rest/test_api.hpp"\n', 0),
        "apps/atoll-guest/main.cpp": ('#include "engine/slot.hpp"\n#include <boost/json.hpp>\n', 1),
        "apps/atoll/main.cpp": ("#include <boost/json.hpp>\n", 0),
    }
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for rel, (content, _) in cases.items():
            (root / rel).parent.mkdir(parents=True, exist_ok=True)
            (root / rel).write_text(content)
        _, problems = check(root)
    bad = 0
    for rel, (_, wanted) in cases.items():
        found = [p for p in problems if p.startswith(rel + ":")]
        if len(found) != wanted:
            bad += 1
            print(f"{rel}: expected {wanted} problems, found {found}")
    print(f"check_layers self-test: {len(cases) - bad} of {len(cases)} cases right")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description="every #include points down")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    count, problems = check(args.root)
    for problem in problems:
        print(problem)
    print(f"check_layers: {count} files, {len(problems)} wrong includes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
