"""The section `sdks`: what the SDKs cost beyond the libraries that they stand on, and what the Python SDK carries."""
import json
import os
import pathlib
import subprocess
import sys

import api
import measure

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = ("python", "typescript", "go", "java")
BEYOND = "a request beyond the bare HTTP library"
CONTENDERS = ("Python", "Python, async", "TypeScript", "Go", "Java")
MAP = "map over 100 sandboxes"
MAP_RATIO = "map over 100 sandboxes to 8 compiled clients"


def rows_of(language, server, scratch, quick):
    command = [sys.executable, "-B", str(ROOT / f"sdk/{language}/test.py")]
    if language != "python":
        command += ["--build", str(scratch / language)]
    env = {**os.environ, "ATOLL_URL": server.address, "ATOLL_API_KEY": server.key}
    done = subprocess.run([*command, "bench", *(["--quick"] if quick else [])], env=env, capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"{language}: {(done.stdout + done.stderr)[-500:]}")
    return json.loads(done.stdout[done.stdout.index("[{"):].splitlines()[0])  # Maven prints before it


def lives_of_compiled_clients(bin_dir, server):
    text = measure.output_of([str(bin_dir / "atoll-bench-api"), "--crowd", "--port", str(server.port), "--key", server.key, "--quick"],
                             timeout=600)
    return next(row for row in json.loads(text)["rows"] if (row["case"], row["mode"]) == ("crowd: lives", "8 clients"))["value"]


def sdks(out, bin_dir, scratch, quick):
    scratch.chmod(0o711)  # the server becomes another user on its way
    server = api.Server(str(bin_dir / "atoll"), str(scratch / "sdks"))
    try:
        compiled = lives_of_compiled_clients(bin_dir, server)
        out.add_value("sdks", "lives of 8 compiled clients", "atoll", "per s", compiled)
        for language in LANGUAGES:
            try:
                out.add_rows("sdks", rows_of(language, server, scratch, quick))
            except (OSError, RuntimeError, ValueError) as error:
                out.fail(f"the SDK for {language}: {error}")
        if mapped := out.find(MAP, "Python, async", ""):
            out.add_value("sdks", MAP_RATIO, "Python, async", "ratio", mapped["value"] / compiled)
    finally:
        if left := server.stop():
            out.fail(f"the server left something behind: {', '.join(left[:10])}")
