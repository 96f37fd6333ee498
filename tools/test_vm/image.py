"""The two disks of the machine, as ext4 images: a root made of packages that this host has installed, which
is kept until one of them changes, and the tree with its release build, made anew for each run."""
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

# What the tests call, and what sandboxes find in /usr. With these come the packages they depend on.
PACKAGES = ["bash", "coreutils", "util-linux", "mount", "procps", "findutils", "grep", "sed", "gawk", "mawk", "hostname",
            "libc-bin", "python3", "nodejs", "cmake", "e2fsprogs", "kmod", "iproute2", "strace", "jq", "libstdc++6", "base-files",
            "base-passwd", "netbase", "tzdata", "media-types", "perl-base", "dash", "diffutils", "ninja-build", "busybox-static"]
# Made by the packages' scripts, so in no package's list.
MADE = ["etc/alternatives", "etc/ld.so.cache", "etc/ld.so.conf", "etc/ld.so.conf.d", "etc/passwd", "etc/group",
        "etc/localtime", "etc/nsswitch.conf", "etc/mime.types", "bin", "sbin", "lib", "lib64", "usr/bin/awk"]
LEFT_OUT = re.compile(r"usr/share/(doc|man|info|locale|lintian|bash-completion|cmake-[\d.]+/Help)/|usr/lib/node_modules/")
FOLDERS = ["dev", "proc", "sys", "run", "tmp", "var/tmp", "var/lib", "root", "mnt", "usr/local/bin"]
ROOM = 2 << 30   # for what the tests write; the files are sparse

# Finds the tree by the name that the kernel was given; everything else is in the tree.
INIT = """#!/bin/sh
mount -t devtmpfs dev /dev; mkdir -p "$TREE" && mount -t ext4 /dev/nvme0n2 "$TREE" && exec "$TREE/tools/test_vm/init.sh"
"""


def installed():
    """Package -> (version, what it needs as lists of alternatives, its file of file names)."""
    form = "${Package}\t${Architecture}\t${Version}\t${db:Status-Status}\t${Pre-Depends},${Depends}\t${Provides}\n"
    lines = subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout
    info, found, provided = pathlib.Path("/var/lib/dpkg/info"), {}, {}
    for line in lines.splitlines():
        name, arch, version, status, needs, provides = line.split("\t")
        if status != "installed" or arch == "i386":
            continue
        names = [[one.split()[0].split(":")[0] for one in group.split("|")] for group in needs.split(",") if group.strip()]
        files = info / f"{name}:{arch}.list"
        found[name] = (version, names, files if files.exists() else info / f"{name}.list")
        for one in provides.split(","):
            if one.strip():
                provided.setdefault(one.split()[0], name)
    return found, provided


def closure(more):
    """The packages, `more` of them, and everything they depend on, by name."""
    found, provided = installed()
    chosen, waiting = {}, [*PACKAGES, *more]
    while waiting:
        name = waiting.pop()
        name = name if name in found else provided.get(name, name)
        if name in found and name not in chosen:
            chosen[name] = found[name]
            for group in found[name][1]:
                waiting += [next((one for one in group if one in found or one in provided), group[0])]
    return chosen


def file_names(packages):
    """Paths below /, without the links that make /bin the same as /usr/bin."""
    names = {one for one in MADE if os.path.lexists(f"/{one}")}
    names |= {f"etc/alternatives/{one}" for one in os.listdir("/etc/alternatives")}
    for _, _, listing in packages.values():
        for line in listing.read_text().splitlines():
            path = os.path.join(os.path.realpath(os.path.dirname(line)), os.path.basename(line))[1:]
            if path and not LEFT_OUT.match(path + "/") and os.path.lexists(f"/{path}"):
                names.add(path)
    # Compiled when the package was installed; without these every start of Python compiles anew.
    for folder in {os.path.dirname(one) for one in names if one.endswith(".py")}:
        cache = pathlib.Path("/", folder, "__pycache__")
        names |= {str(one)[1:] for one in cache.glob("*.pyc")}
    return sorted(names)


def make_ext4(target, content, room):
    """`room` beyond the size of what lies in the folder `content`."""
    sizes = [path.lstat().st_size for path in content.rglob("*")]
    size = sum((one + 4095) // 4096 * 4096 for one in sizes) * 21 // 20 + (len(sizes) << 8) + room
    with open(target, "wb") as file:
        file.truncate(size)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-O", "^has_journal", "-N", str(len(sizes) + 100_000),
                    "-d", content, target], check=True, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})


def copy(base, names, target):
    """What is named, with owners, modes and links, below another folder."""
    pack = subprocess.Popen(["tar", "-C", base, "--null", "--no-recursion", "-T", "-", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "-C", target, "-xp"], stdin=pack.stdout)
    pack.stdout.close()
    with pack.stdin:
        pack.stdin.write(b"\0".join(os.fsencode(one) for one in names) + b"\0")
    if pack.wait() != 0 or unpack.wait() != 0:
        raise SystemExit(f"test-vm: cannot copy from {base}")


def root_image(cache, kernel, more):
    """Kept under the key of what it is made of; one with more packages does not replace the ordinary one."""
    packages = closure(more)
    prefix = "root-more" if more else "root-base"
    versions = "\n".join(f"{name} {packages[name][0]}" for name in sorted(packages))
    key = hashlib.sha256("\n".join((kernel.folder.name, versions, pathlib.Path(__file__).read_text())).encode()).hexdigest()
    image = cache / f"{prefix}-{key[:16]}.ext4"
    if image.exists():
        return image
    print(f"test-vm: making a root of {len(packages)} packages", flush=True)
    for older in cache.glob(f"{prefix}-*.ext4"):
        older.unlink()
    with tempfile.TemporaryDirectory(dir=cache, prefix="new-") as stage:
        root = pathlib.Path(stage, "root")
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)
        for folder in (root / "tmp", root / "var/tmp"):
            folder.chmod(0o1777)
        root.chmod(0o755)
        copy("/", file_names(packages), root)
        modules = root / "usr/lib/modules"
        modules.mkdir()
        subprocess.run(["cp", "-a", kernel.modules, modules], check=True)
        (root / "init").write_text(INIT)
        (root / "init").chmod(0o755)
        # Not this host's: a secret that sandboxes must not be able to read.
        (root / "etc/shadow").write_text("root:*:19000:0:99999:7:::\n")
        (root / "etc/shadow").chmod(0o640)
        made = pathlib.Path(stage, "image")
        make_ext4(made, root, ROOM)
        made.rename(image)
    return image


def tree_image(cache, tree, build, slower, command, caches):
    """An open file without a name: it is gone with the last process that has it."""
    with tempfile.TemporaryDirectory(dir=cache, prefix="new-") as stage:
        root = pathlib.Path(stage, "tree")
        (root / build).mkdir(parents=True)
        for base, target, left_out in ((tree, root, ["./build", "./.git"]), (tree / build, root / build, ["*.o", "*.a", "*.pch", "*.d"])):
            pack = ["tar", "-C", base, *(f"--exclude={one}" for one in left_out), "-c", "."]
            with subprocess.Popen(pack, stdout=subprocess.PIPE) as packing:
                subprocess.run(["tar", "-C", target, "-x", "--no-same-owner"], stdin=packing.stdout, check=True)
        for folder in caches:
            target = root / "vm-cache/atoll"
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", folder, target], check=True)
        for path in (root / build).rglob("CTestTestfile.cmake"):
            text = re.sub(r'TIMEOUT "(\d+)"', lambda found: f'TIMEOUT "{int(found[1]) * slower}"', path.read_text())
            # Whichever Python built the tree, the machine has Debian's.
            path.write_text(re.sub(r'"/[^"]*/python3[.\d]*"', '"/usr/bin/python3"', text))
        (root / "vm-command.sh").write_text(command)
        made = pathlib.Path(stage, "image")
        make_ext4(made, root, ROOM)
        return open(made, "r+b")
