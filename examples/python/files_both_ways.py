"""A folder goes in, is worked on, and comes back."""

import pathlib
import tempfile

from atoll import Sandbox

with tempfile.TemporaryDirectory() as folder, Sandbox.create() as box:
    here = pathlib.Path(folder)
    (here / "in").mkdir()
    for name in "abc":
        (here / "in" / f"{name}.txt").write_text(f"{name}\n")

    sent = box.files.upload(here / "in", "in")
    box.command("mkdir out; for f in in/*; do tr a-z A-Z < $f > out/$(basename $f); done", check=True)
    fetched = box.files.download("out", here / "back")
    print(f"{sent} files sent, {fetched} fetched")
    print(" ".join((here / "back" / f"{name}.txt").read_text().strip() for name in "abc"))
