"""Local folders: what is in them, as batches of an upload, and archives unpacked into them."""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
import tarfile
from dataclasses import dataclass, field
from typing import IO, Callable, Dict, Iterator, List, Optional, Tuple
from urllib.parse import quote

from ._errors import SandboxError

BATCH_FILES = 500
BATCH_BYTES = 64 * 1024 * 1024
PIECE = 1024 * 1024
BOUNDARY = "atoll-python-upload-3f1c9a7be24d"
Progress = Callable[[int, int], None]


@dataclass
class LocalFile:
    name: str
    """Relative to the folder, with slashes."""
    path: str
    size: int
    mode: int


@dataclass
class LocalFolder:
    files: List[LocalFile] = field(default_factory=list)
    empty: List[str] = field(default_factory=list)
    links: List[Tuple[str, str]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def look_at(folder: str) -> LocalFolder:
    """Everything below a folder. Links that lead out of it, names that are no UTF-8, pipes and devices are refused
    before anything is sent."""
    found = LocalFolder()
    root = os.fspath(folder)

    def walk(path: str, prefix: str) -> None:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        if not entries and prefix:
            found.empty.append(prefix.rstrip("/"))
        for entry in entries:
            name = prefix + entry.name
            if not is_text(name):
                raise SandboxError(
                    f"the name of {os.fsencode(entry.path)!r} is no UTF-8, and the server takes no other",
                    code="invalid_argument",
                )
            about = entry.stat(follow_symlinks=False)
            if entry.is_symlink():
                target = os.readlink(entry.path)
                if not stays_inside(name, target):
                    raise SandboxError(
                        f"the link {entry.path} leads out of the folder, to {target}", code="invalid_argument"
                    )
                found.links.append((name, target))
            elif entry.is_dir(follow_symlinks=False):
                walk(entry.path, name + "/")
            elif stat.S_ISREG(about.st_mode):
                found.files.append(LocalFile(name, entry.path, about.st_size, about.st_mode & 0o777))
            else:
                raise SandboxError(f"{entry.path} is no file, folder or link", code="invalid_argument")

    walk(root, "")
    return found


def is_text(name: str) -> bool:
    """It is UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def stays_inside(name: str, target: str) -> bool:
    if target.startswith("/"):
        return False
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    return not (whole == ".." or whole.startswith("../"))


def batches(files: List[LocalFile]) -> Iterator[Tuple[int, List[LocalFile]]]:
    """(mode, files) for one request each."""
    by_mode: Dict[int, List[LocalFile]] = {}
    for file in files:
        by_mode.setdefault(file.mode, []).append(file)
    for mode, group in by_mode.items():
        batch: List[LocalFile] = []
        size = 0
        for file in group:
            if batch and (len(batch) >= BATCH_FILES or size + file.size > BATCH_BYTES):
                yield mode, batch
                batch, size = [], 0
            batch.append(file)
            size += file.size
        if batch:
            yield mode, batch


def multipart(files: List[LocalFile], told: Callable[[int], None]) -> Iterator[bytes]:
    """The body of an upload; it is made while it is sent."""
    small = bytearray()
    for file in files:
        name = quote(os.fsencode(file.name), safe="")
        small += (
            f"--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename*=UTF-8''{name}\r\n\r\n".encode()
        )
        with open(file.path, "rb") as source:
            while piece := source.read(PIECE):
                told(len(piece))
                small += piece
                if len(small) >= PIECE:
                    yield bytes(small)
                    small.clear()
        small += b"\r\n"
    yield bytes(small) + f"--{BOUNDARY}--\r\n".encode()


def unpack(archive: IO[bytes], target: str) -> int:
    """A folder of a sandbox, whose content nobody has read: nothing gets out of `target`. Gives the number of files."""
    os.makedirs(target, exist_ok=True)
    count = 0
    modes: List[Tuple[str, int]] = []
    with tarfile.open(fileobj=archive, mode="r:", encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            name = posixpath.normpath(member.name)
            if name in (".", ""):
                continue
            if name.startswith(("/", "../")) or name == "..":
                raise SandboxError(
                    f"the archive names {member.name!r}, outside of the folder", code="unexpected_answer"
                )
            path = _safe_path(target, name)
            if member.isdir():
                os.makedirs(path, exist_ok=True)
                modes.append((path, member.mode & 0o777 | 0o700))
            elif member.issym():
                if not stays_inside(name, member.linkname):
                    continue  # it would lead to a file of this machine
                _remove(path)
                os.symlink(member.linkname, path)
            elif member.isreg():
                source = tar.extractfile(member)
                assert source is not None
                _remove(path)
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as out:
                    while piece := source.read(PIECE):
                        out.write(piece)
                    os.fchmod(out.fileno(), member.mode & 0o777)
                count += 1
    for path, mode in reversed(modes):
        os.chmod(path, mode)
    return count


def _safe_path(target: str, name: str) -> str:
    """The path of a member, whose folders are made and are no links."""
    steps = name.split("/")
    path = target
    for step in steps[:-1]:
        path = os.path.join(path, step)
        if os.path.islink(path):
            raise SandboxError(f"the archive has {name!r} below a link", code="unexpected_answer")
        os.makedirs(path, exist_ok=True)
    return os.path.join(path, steps[-1])


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def mode_text(mode: Optional[int]) -> Optional[str]:
    return None if mode is None else f"{mode & 0o777:04o}"
