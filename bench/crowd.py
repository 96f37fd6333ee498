"""The section `crowd`: more clients in a closed loop than the pool has sandboxes, for atoll-bench-api to measure."""
import json

import api
import measure

CREATE = "crowd: create"
FAILED = "crowd: failed"
PROMISED = (50, 200)  # clients


def crowd(out, bin_dir, scratch, quick):
    scratch.chmod(0o711)  # the server becomes another user on its way
    server = api.Server(str(bin_dir / "atoll"), str(scratch / "crowd"))
    try:
        argv = [str(bin_dir / "atoll-bench-api"), "--crowd", "--port", str(server.port), "--key", server.key]
        text = measure.output_of(argv + (["--quick"] if quick else []), timeout=600)
        out.add_rows("crowd", json.loads(text)["rows"])
    finally:
        if left := server.stop():
            out.fail(f"the server left something behind: {', '.join(left[:10])}")
