"""Imported before `support`: a copy of the programs where every user can reach them, as a build folder may lie
where only root can."""
import atexit
import os
import shutil
import tempfile

if os.geteuid() == 0:
    place = tempfile.mkdtemp(prefix="atoll-bin-")
    atexit.register(shutil.rmtree, place)
    os.chmod(place, 0o755)
    for name in ("atoll", "atoll-backends", "atoll-server", "atoll-launcher", "atoll-mounts", "atoll-guest"):
        shutil.copy(os.path.join(os.environ["ATOLL_BIN"], name), place)
    os.environ["ATOLL_BIN"] = place
