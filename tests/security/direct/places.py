"""Where a sandbox may put its mounts, its working folder and what it writes."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

import harness
from direct.common import check, expect

WRITABLE_ROOT = ("--writable-root",)


@check(1)
def workdir_by_descriptor(programs):
    """Leaky Vessels: a working directory that is a descriptor of the runtime."""
    for fd in range(0, 24):
        for folder in (f"/proc/self/fd/{fd}", f"/proc/1/fd/{fd}", f"/dev/fd/{fd}"):
            out = programs.run(["/cases/01_inherited_fds", "climb"], options=["--workdir", folder])
            expect(out.how in ("HOLDS", "EXIT 125", "EXIT 126", "EXIT 127"), f"--workdir {folder}: {out.how} {out.tail()}")


@check(4)
def mount_over_kernel_paths(programs):
    folder = programs.scratch / "cover"
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    for target in ("/", "/proc", "/proc/self", "/proc/self/attr", "/proc/sys", "/proc/1", "/dev", "/dev/pts", "/dev/null",
                   "/sys", "//proc", "/proc/", "/./proc", "/data/../proc", "/opt/atoll", "/opt/atoll/hidden", "/mnt"):
        out = programs.run(["/cases/04_procfs", "genuine"], options=["--mount", f"{folder}:{target}:rw"])
        expect(out.how == "EXIT 125", f"mount at {target}: {out.how} {out.tail()}")


@check(4)
def mount_through_a_link(programs):
    """A mounted folder holds symlinks; a second mount whose target walks through one must not land
    where it may not be named directly."""
    tree = programs.scratch / "linked"
    tree.mkdir(exist_ok=True)
    other = programs.scratch / "other"
    other.mkdir(exist_ok=True)
    (other / "planted").write_text("planted")
    for path in (tree, other):
        os.chmod(path, 0o755)
    for name, target in (("p", "/proc"), ("s", "/proc/sys"), ("d", "/dev"), ("a", "/opt/atoll"), ("e", "/etc"), ("u", "/usr"),
                         ("r", "/"), ("up", "../../../../..")):
        with contextlib.suppress(FileExistsError):
            os.symlink(target, tree / name)
        covered = "/" if name in ("r", "up") else target
        out = programs.run(["/bin/sh", "-c", f"test ! -e {covered}/planted && echo stopped: HOLDS && exit 10"],
                           options=["--mount", f"{tree}:/data:rw", "--mount", f"{other}:/data/{name}:ro"])
        expect(out.how in ("HOLDS", "EXIT 125"), f"a mount at /data/{name} -> {target}: {out.how}, exit {out.code} {out.tail()}")


@check(21)
def writable_root_is_its_own(programs):
    """What a sandbox writes in its root neither the host has nor the next sandbox, which gets the same slot."""
    mark = harness.marker()
    names = [f"{folder}/{mark}" for folder in ("", "/etc", "/opt", "/var", "/home", "/srv")]
    write = " && ".join(f"mkdir {name} && echo {mark} > {name}/file" for name in names)
    write += f" && echo 127.0.0.2 {mark} >> /etc/hosts && cp /etc/passwd /etc/new && echo {mark} >> /etc/new && mv /etc/new /etc/passwd"
    look = f"ls -d {' '.join(names)} 2>/dev/null; grep -l {mark} /etc/hosts /etc/passwd"
    for disk in ((), ("--disk", "48m", "--memory", "64m")):
        if disk and programs.rootless:
            continue
        options = [*WRITABLE_ROOT, *disk]
        out = programs.run(["/bin/sh", "-c", write + f" && {look}"], options=options)
        expect(out.code == 0, f"{disk}: {out.how} {out.tail()}")
        expect(sorted(out.output.split()) == sorted([*names, "/etc/hosts", "/etc/passwd"]), f"{disk}: {out.output}")
        for later in (options, []):
            out = programs.run(["/bin/sh", "-c", look], options=later)
            expect(out.output == "", f"the next sandbox has {out.output}")
        for name in names:
            expect(not os.path.lexists(name), f"the host has {name}")
        for name in ("/etc/hosts", "/etc/passwd"):
            expect(mark not in Path(name).read_text(), f"the host's {name} is changed")
    out = programs.run(["/bin/sh", "-c", f"mkdir /{mark}"])
    expect("Read-only file system" in out.tail(), f"without it: {out.tail()}")


@check(21)
def writable_root_is_reported(programs):
    """One wall is down, as it was asked for, and no other."""
    def layers(*options):
        out = programs.run(["/bin/true"], options=["-o", "json", *options], stderr=subprocess.DEVNULL)
        return set(json.loads(out.output)["isolation"]["layers"])
    expect(layers() - layers(*WRITABLE_ROOT) == {"read_only_root"}, f"{layers(*WRITABLE_ROOT)}")
