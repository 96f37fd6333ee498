# Made by tools/sdk_unasync.py from _async/files.py; changes belong there.
"""Files of a sandbox."""

from __future__ import annotations

import io
import os
import tempfile
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Union, cast

import httpx

from .._errors import ConnectionFailedError, InvalidRequestError, NotFoundError, SandboxError, StreamInterruptedError
from .._folders import BOUNDARY, LocalFile, Progress, batches, look_at, mode_text, multipart, unpack
from .._models import FileInfo
from .._options import file_path, path_of
from .compat import in_thread
from .stream import LiveStream
from .transport import Transport

Source = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", IO[bytes]]
Path = Union[str, "os.PathLike[str]"]
PIECE = 1024 * 1024
AT_ONCE = 1024 * 1024  # a file up to this size is sent from memory
LINKS = 1000


class Files:
    """The files of a sandbox. Names are relative to its workspace; absolute ones lie below /workspace or /tmp."""

    def __init__(self, transport: Transport, session: str) -> None:
        self._transport = transport
        self._session = session

    def _at(self, *parts: object) -> str:
        return path_of("sessions", self._session, "files", *parts)

    # ---- one file ----

    def write(
        self,
        path: Path,
        source: Source,
        *,
        mode: Union[None, int, str] = None,
        progress: Optional[Progress] = None,
    ) -> FileInfo:
        """Writes a file whole; folders on the way are made. `source` is text, bytes, the path of a local file
        (pathlib.Path) or an open binary file. It is there once its last byte has arrived, or not at all."""
        where, params = file_path(self._session, path), {"mode": _mode(mode)}
        if isinstance(source, str):
            source = source.encode("utf-8", "surrogateescape")
        if isinstance(source, (bytes, bytearray, memoryview)):
            source = io.BytesIO(source) if progress or len(source) > AT_ONCE else bytes(source)
        if isinstance(source, bytes):
            response = self._transport.send("PUT", where, source, params=params, headers=_OCTETS)
            return FileInfo.from_json(response.json())
        if isinstance(source, os.PathLike):
            file = cast("IO[bytes]", in_thread(open, source, "rb"))
            try:
                return self._send(where, params, file, progress)
            finally:
                file.close()
        return self._send(where, params, source, progress)

    def _send(
        self, where: str, params: Mapping[str, Any], file: IO[bytes], progress: Optional[Progress]
    ) -> FileInfo:
        if isinstance(file, io.TextIOBase):
            raise InvalidRequestError("open the file in binary mode: open(path, 'rb')", code="invalid_argument")
        headers, begin, total = dict(_OCTETS), 0, -1
        seekable = file.seekable()
        if seekable:
            begin = file.tell()
            total = file.seek(0, os.SEEK_END) - begin
            headers["content-length"] = str(total)

        def body() -> Iterator[bytes]:
            if seekable:
                file.seek(begin)
            return _pieces(file, total, progress)

        # What cannot be read twice cannot be sent twice.
        begin_anew = body if seekable else _once(body)
        response = self._transport.send("PUT", where, begin_anew, params=params, headers=headers)
        return FileInfo.from_json(response.json())

    def read(self, path: Path, *, first: Optional[int] = None, last: Optional[int] = None) -> bytes:
        """The content, or the bytes from `first` to `last`, both inclusive."""
        response = self._transport.send("GET", file_path(self._session, path), headers=_range(first, last))
        return response.content

    def read_text(self, path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
        return (self.read(path)).decode(encoding, errors)

    def stream(
        self, path: Path, *, first: Optional[int] = None, last: Optional[int] = None
    ) -> Iterator[bytes]:
        """The content piece by piece. A download that is cut goes on where it was."""
        begin, end, cuts = first or 0, last, 0
        response = self._get(path, first, last)
        total = _size(response)
        try:
            while True:
                try:
                    for piece in response.iter_raw():
                        begin += len(piece)
                        cuts = 0
                        yield piece
                    return
                except httpx.TransportError as error:
                    response.close()
                    cuts += 1
                    if total is None or cuts > self._transport.options.retries:
                        raise StreamInterruptedError(f"the download was cut: {error}") from error
                response = self._get(path, begin, end)
                if response.status_code != 206 or _size(response) != total:
                    raise StreamInterruptedError("the file changed while it was downloaded, and the download was cut")
        finally:
            response.close()

    def _get(self, path: Path, first: Optional[int], last: Optional[int]) -> httpx.Response:
        return self._transport.send(
            "GET", file_path(self._session, path), headers=_range(first, last), stream=True
        )

    def list(
        self,
        path: Optional[Path] = None,
        *,
        depth: Optional[int] = None,
        glob: Optional[str] = None,
        contains: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> Iterator[FileInfo]:
        """What is in a folder, by path; with `glob` or `contains` a search below it."""
        params = {
            "path": None if path is None else os.fspath(path),
            "depth": depth,
            "glob": glob,
            "contains": contains,
            "limit": page_size,
        }
        for item in self._transport.pages(self._at(), "files", params):
            yield FileInfo.from_json(item)

    def exists(self, path: Path) -> bool:
        try:
            response = self._transport.send(
                "GET", file_path(self._session, path), headers=_range(0, 0), stream=True
            )
        except NotFoundError as error:
            if error.code == "session_not_found":
                raise
            return False
        except InvalidRequestError as error:
            return error.status == 416  # an empty file
        response.close()
        return True

    def remove(self, path: Path, *, recursive: bool = False) -> None:
        params = {"recursive": "true"} if recursive else None
        self._transport.json("DELETE", file_path(self._session, path), params=params)

    def mkdir(self, path: Path, *, mode: Union[None, int, str] = None, parents: bool = True) -> FileInfo:
        body: Dict[str, Any] = {"path": os.fspath(path), "parents": parents}
        if mode is not None:
            body["mode"] = _mode(mode)
        return FileInfo.from_json(self._transport.json("POST", self._at("mkdir"), body, repeatable=parents))

    def move(self, source: Path, target: Path, *, overwrite: bool = False) -> FileInfo:
        body = {"from": os.fspath(source), "to": os.fspath(target), "overwrite": overwrite}
        return FileInfo.from_json(self._transport.json("POST", self._at("move"), body))

    def chmod(self, path: Path, mode: Union[int, str]) -> FileInfo:
        """`mode` is a number as 0o755, or text as "0755"."""
        body = {"path": os.fspath(path), "mode": _mode(mode)}
        return FileInfo.from_json(self._transport.json("POST", self._at("chmod"), body, repeatable=True))

    def replace(self, path: Path, old: str, new: str) -> int:
        """Replaces every occurrence of a text in a file of up to 16 MiB; how many there were."""
        body = {"path": os.fspath(path), "old_text": old, "new_text": new}
        return int((self._transport.json("POST", self._at("replace"), body))["count"])

    def make_links(self, path: Path, links: Mapping[str, str]) -> FileInfo:
        """Symbolic links below a folder, from name to target."""
        pairs = [{"name": name, "target": target} for name, target in links.items()]
        body = {"path": os.fspath(path), "links": pairs}
        return FileInfo.from_json(self._transport.json("POST", self._at("links"), body, repeatable=True))

    def watch(self, path: Optional[Path] = None, *, recursive: bool = True) -> LiveStream:
        """Changes below a folder, from the moment at which `with` is entered."""
        params = {"path": None if path is None else os.fspath(path), "recursive": "true" if recursive else "false"}
        return LiveStream(self._transport, self._at("watch"), params, resumes=False)

    # ---- local files and folders ----

    def upload(self, local: Path, path: Optional[Path] = None, *, progress: Optional[Progress] = None) -> int:
        """A local file or folder to `path` (its own name when absent). Gives the number of files.

        The content of a folder goes into `path`; links inside and permissions are kept. `progress(done, total)` is
        told bytes.
        """
        local = os.fspath(local)
        name = os.path.basename(os.path.abspath(local)) if path is None else os.fspath(path)
        if not os.path.isdir(local):
            mode = (in_thread(os.stat, local)).st_mode & 0o777
            with open(local, "rb") as file:
                self.write(name, file, mode=mode, progress=progress)
            return 1
        return self._upload_folder(local, name, progress)

    def _upload_folder(self, local: str, path: str, progress: Optional[Progress]) -> int:
        found = in_thread(look_at, local)
        total, done = found.size, 0
        self.mkdir(path)
        for empty in found.empty:
            self.mkdir(f"{path}/{empty}")
        for mode, batch in batches(found.files):
            sent = 0

            def told(count: int, before: int = done) -> None:
                nonlocal sent
                sent += count
                if progress is not None:
                    progress(before + sent, total)

            def begin(batch: List[LocalFile] = batch, told: Callable[[int], None] = told) -> Iterator[bytes]:
                nonlocal sent
                sent = 0
                return _from_iterator(multipart(batch, told))

            self._transport.send(
                "POST",
                self._at("upload"),
                begin,
                params={"path": path, "mode": mode_text(mode)},
                headers={"content-type": f"multipart/form-data; boundary={BOUNDARY}"},
                repeatable=True,  # the same files again are the same files
            )
            done += sent
        for at in range(0, len(found.links), LINKS):
            self.make_links(path, dict(found.links[at : at + LINKS]))
        return len(found.files)

    def download(self, path: Path, local: Path, *, progress: Optional[Progress] = None) -> int:
        """A file or a folder to `local`, which is the new file, or the folder that gets the content. Gives the number
        of files. Nothing is written outside of `local`, whatever the sandbox holds."""
        local = os.fspath(local)
        response = self._get(path, None, None)
        folder = response.headers.get("content-type", "").startswith("application/x-tar")
        mode, total = response.headers.get("x-atoll-mode"), _size(response)
        response.close()
        if folder:
            with tempfile.TemporaryFile(prefix="atoll-") as archive:
                self._save(path, archive, None, progress)
                archive.seek(0)
                return in_thread(unpack, archive, local)
        part = f"{local}.atoll-part"
        try:
            with open(part, "wb") as out:
                self._save(path, out, total, progress)
            if mode:
                os.chmod(part, int(mode, 8) & 0o777)
            os.replace(part, local)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise
        return 1

    def download_to(self, path: Path, file: IO[bytes], *, progress: Optional[Progress] = None) -> int:
        """A file into an open binary file. Gives the number of bytes."""
        return self._save(path, file, None, progress)

    def _save(self, path: Path, file: IO[bytes], total: Optional[int], progress: Optional[Progress]) -> int:
        done = 0
        for piece in self.stream(path):
            file.write(piece)
            done += len(piece)
            if progress is not None:
                progress(done, done if total is None else total)
        return done


_OCTETS = {"content-type": "application/octet-stream"}


def _pieces(file: IO[bytes], total: int, progress: Optional[Progress]) -> Iterator[bytes]:
    """What is in an open file. No more than was announced, also when it grows meanwhile."""
    done = 0
    while total < 0 or done < total:
        piece = in_thread(file.read, PIECE if total < 0 else min(PIECE, total - done))
        if not piece:
            break
        done += len(piece)
        if progress is not None:
            progress(done, done if total < 0 else total)
        yield piece
    if total >= 0 and done < total:
        raise SandboxError("the local file became shorter while it was sent", code="invalid_argument")


def _next(pieces: Iterator[bytes]) -> bytes:
    return next(pieces, b"")


def _from_iterator(pieces: Iterator[bytes]) -> Iterator[bytes]:
    while piece := in_thread(_next, pieces):
        yield piece


def _once(body: Callable[[], Iterator[bytes]]) -> Callable[[], Iterator[bytes]]:
    """A body that refuses to be sent again."""
    begun = False

    def begin() -> Iterator[bytes]:
        nonlocal begun
        if begun:
            raise ConnectionFailedError(
                "the connection failed, and this source cannot be read again from its beginning"
            )
        begun = True
        return body()

    return begin


def _range(first: Optional[int], last: Optional[int]) -> Dict[str, str]:
    if first is None and last is None:
        return {}
    return {"range": f"bytes={first or 0}-{'' if last is None else last}"}


def _size(response: httpx.Response) -> Optional[int]:
    """Of the whole file, where the server says it."""
    whole = response.headers.get("content-range", "").rpartition("/")[2]
    length = whole or response.headers.get("content-length", "")
    return int(length) if length.isdigit() else None


def _mode(mode: Union[None, int, str]) -> Optional[str]:
    return mode_text(mode) if isinstance(mode, int) else mode
