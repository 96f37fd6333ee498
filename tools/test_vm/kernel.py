"""The kernel that the tests run under: Debian's own, unpacked into the cache and never installed."""
import dataclasses
import pathlib
import re
import shutil
import subprocess

PACKAGE = "linux-image-cloud-amd64"  # names the newest one of this Debian


@dataclasses.dataclass(frozen=True)
class Kernel:
    folder: pathlib.Path
    release: str

    @property
    def image(self):
        return self.folder / f"boot/vmlinuz-{self.release}"

    @property
    def modules(self):
        return self.folder / f"lib/modules/{self.release}"


def newest():
    """(package, version), or None when apt has not heard of it."""
    shown = subprocess.run(["apt-cache", "show", "--no-all-versions", PACKAGE], capture_output=True, text=True).stdout
    found = re.search(r"^Depends: (linux-image-\S+) \(= ([^)]+)\)", shown, re.MULTILINE)
    return found and found.groups()


def cached(cache):
    found = sorted(cache.glob("kernel-*"), key=lambda path: path.stat().st_mtime)
    return Kernel(found[-1], (found[-1] / "release").read_text()) if found else None


def fetch(cache):
    """The newest kernel; the last one that was fetched where apt cannot tell or reach anything."""
    wanted = newest()
    if wanted is None:
        subprocess.run(["apt-get", "-qq", "update"], check=False)
        wanted = newest()
    if wanted is None:
        kernel = cached(cache)
        if kernel is None:
            raise SystemExit(f"test-vm: apt knows no package {PACKAGE}")
        return kernel
    package, version = wanted
    folder = cache / f"kernel-{package.removeprefix('linux-image-')}-{version}"
    if not folder.exists():
        download(package, version, folder)
        for older in cache.glob("kernel-*"):
            if older != folder:
                shutil.rmtree(older)
    return Kernel(folder, (folder / "release").read_text())


def download(package, version, folder):
    """apt checks the signature, and nothing is run that the package brings."""
    stage = folder.with_name(f"new-{folder.name}")
    stage.mkdir()
    print(f"test-vm: fetching {package} {version}", flush=True)
    subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", f"{package}={version}"], cwd=stage, check=True)
    archive = next(stage.glob("*.deb"))
    subprocess.run(["dpkg-deb", "-x", archive, stage], check=True)
    archive.unlink()
    release = next((stage / "lib/modules").iterdir()).name
    subprocess.run(["depmod", "-b", stage, release], check=True)
    (stage / "release").write_text(release)
    stage.rename(folder)
