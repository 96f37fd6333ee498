"""The section `dialects`: clients of E2B, OpenSandbox and MCP, unmodified, and what their calls cost beside REST's.

Lives are measured in the manner of ComputeSDK: create until the first command has answered; one after the other, one
every 200 ms, and a burst of 100. The SDKs are those of the tests (tests/dialects), which install them where the cache
lacks them.
"""
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request

import api
import measure
from report import Promise

DIALECTS = pathlib.Path(__file__).resolve().parent.parent / "tests/dialects"
sys.path.extend(str(DIALECTS / name) for name in ("e2b", "opensandbox", "mcp"))

import clients  # noqa: E402
import install  # noqa: E402
import prepare  # noqa: E402

LIFE = "create, first command, by its SDK"
BURST = f"{LIFE}: until all have it"
SUCCESS = f"{LIFE}: success"
COMMAND = "echo hi in a running sandbox, by its SDK"
CODE = "run_code in a warm sandbox, by its SDK"
UPLOAD = "upload of 100 MB, by its SDK"
GROWTH = f"{UPLOAD}: growth of the server"
OVERHEAD = ": more than by REST"
CASES = {"a sandbox is looked at": ("E2B", "OpenSandbox"), "bash -l -c 'echo hi'": ("E2B", "OpenSandbox"),
         "echo hi in a shell": ("MCP",), "1+1 in a live context": ("E2B", "OpenSandbox", "MCP"),
         "1 KiB is written": ("E2B", "OpenSandbox"), "1 KiB is read": ("E2B", "OpenSandbox")}
SDKS = ("E2B, JavaScript", "OpenSandbox, JavaScript", "E2B, Python", "OpenSandbox, Python")
FLAT = 32 << 10  # KiB

PROMISES = [
    Promise(LIFE, "E2B, JavaScript", "one after the other", "p50", most=15),
    Promise(BURST, "E2B, JavaScript", "burst of 100", "value", most=1000),
    *(Promise(SUCCESS, name, mode, "value", least=100) for name in ("E2B, JavaScript", "OpenSandbox, JavaScript")
      for mode in ("one after the other", "one every 200 ms", "burst of 100")),
    Promise(COMMAND, "OpenSandbox, JavaScript", "hot", "p50", most=10),
    Promise(CODE, "MCP, JavaScript", "hot", "p50", most=5),
    *(Promise(UPLOAD, name, "", "to REST, the same client", least=0.5) for name in SDKS),
    *(Promise(GROWTH, name, "", "value", most=FLAT) for name in SDKS),
    *(Promise(case + OVERHEAD, name, "", "value", most=0.3) for case, names in CASES.items() for name in names),
]


class Driver:
    """dialects.mjs with one SDK."""

    def __init__(self, server, sdk, node, modules):
        wish = {"sdk": sdk, "modules": str(modules), "url": server.address, "key": server.key, "server": server.process.pid}
        environment = {**os.environ, "E2B_API_URL": server.address, "E2B_SANDBOX_URL": server.address,
                       "E2B_API_KEY": server.key, "OPENSANDBOX_DISABLE_METRICS": "1", "NODE_NO_WARNINGS": "1"}
        self.process = subprocess.Popen([node, str(pathlib.Path(__file__).with_suffix(".mjs")), json.dumps(wish)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def do(self, part, **order):
        self.process.stdin.write(json.dumps({"part": part, **order}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "the driver ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


def wait_for_pool(server):
    line = 'warm_pool_size{template="python-default"} 5\n'
    deadline = time.monotonic() + 60
    figures = urllib.request.Request(server.address + "/metrics", headers={"Authorization": f"Bearer {server.key}"})
    while line not in urllib.request.urlopen(figures, timeout=60).read().decode():
        if time.monotonic() > deadline:
            raise RuntimeError("the pool does not fill")
        time.sleep(0.01)


def add_lives(out, name, mode, result):
    times = [one for one in result["times"] if one is not None]
    out.add_row("dialects", {"case": SUCCESS, "mode": mode, "contender": name, "unit": "%",
                             "value": 100 * len(times) / len(result["times"])})
    if times:
        out.add_latency("dialects", LIFE, name, mode, times)
    if "whole" in result:
        out.add_row("dialects", {"case": BURST, "mode": mode, "contender": name, "unit": "ms", "value": result["whole"]})


def lives(out, server, name, driver, quick):
    for mode, part, order in (("one after the other", "sequential", {"rounds": 20 if quick else 100}),
                              ("one every 200 ms", "staggered", {"rounds": 20 if quick else 100, "apart": 200}),
                              ("burst of 100", "burst", {"count": 100})):
        wait_for_pool(server)
        add_lives(out, name, mode, driver.do(part, **order))


def add_upload(out, name, best):
    out.add_value("dialects", UPLOAD, name, "MB/s", best["sdk"])
    out.rows[-1]["to REST, the same client"] = best["sdk"] / best["rest"]
    out.add_value("dialects", UPLOAD, f"REST, {name.split(', ')[1]}, beside {name.split(',')[0]}", "MB/s", best["rest"])
    out.add_value("dialects", GROWTH, name, "KiB", best["growth"])


def by_sdks(out, server, scratch, quick):
    file = scratch / "upload"
    file.write_bytes(os.urandom(100_000_000))
    rounds, commands = (2, 50) if quick else (5, 300)
    e2b = json.loads((DIALECTS / "e2b/versions.json").read_text())
    newest = install.CACHE / "npm" / e2b["npm"]["e2b"][-1]
    for name, sdk, node, modules in (("E2B, JavaScript", "e2b", install.node(), newest),
                                     ("OpenSandbox, JavaScript", "opensandbox", prepare.node(), prepare.environment()),
                                     ("MCP, JavaScript", "mcp", clients.node(), clients.folder())):
        driver = Driver(server, sdk, node, modules)
        try:
            lives(out, server, name, driver, quick)
            out.add_latency("dialects", COMMAND, name, "hot", driver.do("commands", rounds=commands)["times"])
            if sdk == "mcp":
                out.add_latency("dialects", CODE, name, "hot", driver.do("code", rounds=commands)["times"])
            else:
                add_upload(out, name, driver.do("upload", rounds=rounds, file=str(file), bytes=100_000_000))
        finally:
            driver.close()
    newest = install.CACHE / "pypi" / list(e2b["pypi"])[-1]
    for name, sdk, folder in (("E2B, Python", "e2b", newest), ("OpenSandbox, Python", "opensandbox", prepare.environment())):
        environment = {**os.environ, "URL": server.address, "KEY": server.key, "SERVER": str(server.process.pid),
                       "E2B_API_URL": server.address, "E2B_SANDBOX_URL": server.address, "E2B_API_KEY": server.key}
        done = subprocess.run([str(folder / "bin/python"), "-B", str(pathlib.Path(__file__).with_name("dialects_upload.py")),
                               sdk, str(file), str(rounds)], capture_output=True, text=True, timeout=300, env=environment,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        add_upload(out, name, json.loads(done.stdout))


def dialects(out, bin_dir, scratch, quick):
    install_newest = [sys.executable, "-B", str(DIALECTS / "e2b/install.py"), "--newest"]
    subprocess.run(install_newest, check=True, stdout=sys.stderr)
    prepare.install()
    clients.install()
    scratch.chmod(0o711)  # the server becomes another user on its way
    server = api.Server(str(bin_dir / "atoll"), str(scratch / "dialects"), "--e2b")
    try:
        argv = [str(bin_dir / "atoll-bench-api"), "--dialects", "--port", str(server.port), "--key", server.key]
        text = measure.output_of(argv + (["--quick"] if quick else []), timeout=600)
        out.add_rows("dialects", json.loads(text)["rows"])
        by_sdks(out, server, scratch, quick)
    finally:
        if left := server.stop():
            out.fail(f"the server left something behind: {', '.join(left[:10])}")
