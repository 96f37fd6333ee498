"""The section `life`: processor time of the whole machine for one life, for atoll-bench-life to measure."""
import json
import pathlib

import api
import measure

PYTHON = "/usr/bin/python3"  # the one that sandboxes have too
CASE = "processor time of a life: "
GROWTH = "launcher's time for a life, to that without idle sessions: "


def life(out, bin_dir, scratch, quick):
    scratch.chmod(0o711)  # the server becomes another user on its way
    server = api.Server(str(bin_dir / "atoll"), str(scratch / "life"))
    try:
        argv = [str(bin_dir / "atoll-bench-life"), "--port", str(server.port), "--key", server.key,
                "--server", str(server.process.pid), "--python", PYTHON,
                "--floor-script", str(pathlib.Path(__file__).with_name("floor.py")),
                "--floor-library", str(bin_dir / "atoll-bench-floor.so")]
        text = measure.output_of(argv + (["--quick"] if quick else []), timeout=1800)
        out.add_rows("life", json.loads(text)["rows"])
    finally:
        if left := server.stop():
            out.fail(f"the server left something behind: {', '.join(left[:10])}")
