"""Files of a sandbox."""

from __future__ import annotations

import io
import os
import tempfile
from typing import IO, Any, AsyncIterator, Callable, Dict, Iterator, List, Mapping, Optional, Union, cast

import httpx

from .._errors import ConnectionFailedError, InvalidRequestError, NotFoundError, SandboxError, StreamInterruptedError
from .._folders import BOUNDARY, LocalFile, Progress, batches, look_at, mode_text, multipart, unpack
from .._models import FileInfo
from .._options import file_path, path_of
from .compat import in_thread
from .stream import AsyncLiveStream
from .transport import AsyncTransport

Source = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", IO[bytes]]
Path = Union[str, "os.PathLike[str]"]
PIECE = 1024 * 1024
AT_ONCE = 1024 * 1024  # a file up to this size is sent from memory
LINKS = 1000


class AsyncFiles:
    """The files of a sandbox. Names are relative to its workspace; absolute ones lie below /workspace or /tmp."""

    def __init__(self, transport: AsyncTransport, session: str) -> None:
        self._transport = transport
        self._session = session

    def _at(self, *parts: object) -> str:
        return path_of("sessions", self._session, "files", *parts)

    # ---- one file ----

    async def write(
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
            response = await self._transport.send("PUT", where, source, params=params, headers=_OCTETS)
            return FileInfo.from_json(response.json())
        if isinstance(source, os.PathLike):
            file = cast("IO[bytes]", await in_thread(open, source, "rb"))
            try:
                return await self._send(where, params, file, progress)
            finally:
                file.close()
        return await self._send(where, params, source, progress)

    async def _send(
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

        def body() -> AsyncIterator[bytes]:
            if seekable:
                file.seek(begin)
            return _pieces(file, total, progress)

        # What cannot be read twice cannot be sent twice.
        begin_anew = body if seekable else _once(body)
        response = await self._transport.send("PUT", where, begin_anew, params=params, headers=headers)
        return FileInfo.from_json(response.json())

    async def read(self, path: Path, *, first: Optional[int] = None, last: Optional[int] = None) -> bytes:
        """The content, or the bytes from `first` to `last`, both inclusive."""
        response = await self._transport.send("GET", file_path(self._session, path), headers=_range(first, last))
        return response.content

    async def read_text(self, path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
        return (await self.read(path)).decode(encoding, errors)

    async def stream(
        self, path: Path, *, first: Optional[int] = None, last: Optional[int] = None
    ) -> AsyncIterator[bytes]:
        """The content piece by piece. A download that is cut goes on where it was."""
        begin, end, cuts = first or 0, last, 0
        response = await self._get(path, first, last)
        total = _size(response)
        try:
            while True:
                try:
                    async for piece in response.aiter_raw():
                        begin += len(piece)
                        cuts = 0
                        yield piece
                    return
                except httpx.TransportError as error:
                    await response.aclose()
                    cuts += 1
                    if total is None or cuts > self._transport.options.retries:
                        raise StreamInterruptedError(f"the download was cut: {error}") from error
                response = await self._get(path, begin, end)
                if response.status_code != 206 or _size(response) != total:
                    raise StreamInterruptedError("the file changed while it was downloaded, and the download was cut")
        finally:
            await response.aclose()

    async def _get(self, path: Path, first: Optional[int], last: Optional[int]) -> httpx.Response:
        return await self._transport.send(
            "GET", file_path(self._session, path), headers=_range(first, last), stream=True
        )

    async def list(
        self,
        path: Optional[Path] = None,
        *,
        depth: Optional[int] = None,
        glob: Optional[str] = None,
        contains: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> AsyncIterator[FileInfo]:
        """What is in a folder, by path; with `glob` or `contains` a search below it."""
        params = {
            "path": None if path is None else os.fspath(path),
            "depth": depth,
            "glob": glob,
            "contains": contains,
            "limit": page_size,
        }
        async for item in self._transport.pages(self._at(), "files", params):
            yield FileInfo.from_json(item)

    async def exists(self, path: Path) -> bool:
        try:
            response = await self._transport.send(
                "GET", file_path(self._session, path), headers=_range(0, 0), stream=True
            )
        except NotFoundError as error:
            if error.code == "session_not_found":
                raise
            return False
        except InvalidRequestError as error:
            return error.status == 416  # an empty file
        await response.aclose()
        return True

    async def remove(self, path: Path, *, recursive: bool = False) -> None:
        params = {"recursive": "true"} if recursive else None
        await self._transport.json("DELETE", file_path(self._session, path), params=params)

    async def mkdir(self, path: Path, *, mode: Union[None, int, str] = None, parents: bool = True) -> FileInfo:
        body: Dict[str, Any] = {"path": os.fspath(path), "parents": parents}
        if mode is not None:
            body["mode"] = _mode(mode)
        return FileInfo.from_json(await self._transport.json("POST", self._at("mkdir"), body, repeatable=parents))

    async def move(self, source: Path, target: Path, *, overwrite: bool = False) -> FileInfo:
        body = {"from": os.fspath(source), "to": os.fspath(target), "overwrite": overwrite}
        return FileInfo.from_json(await self._transport.json("POST", self._at("move"), body))

    async def chmod(self, path: Path, mode: Union[int, str]) -> FileInfo:
        """`mode` is a number as 0o755, or text as "0755"."""
        body = {"path": os.fspath(path), "mode": _mode(mode)}
        return FileInfo.from_json(await self._transport.json("POST", self._at("chmod"), body, repeatable=True))

    async def replace(self, path: Path, old: str, new: str) -> int:
        """Replaces every occurrence of a text in a file of up to 16 MiB; how many there were."""
        body = {"path": os.fspath(path), "old_text": old, "new_text": new}
        return int((await self._transport.json("POST", self._at("replace"), body))["count"])

    async def make_links(self, path: Path, links: Mapping[str, str]) -> FileInfo:
        """Symbolic links below a folder, from name to target."""
        pairs = [{"name": name, "target": target} for name, target in links.items()]
        body = {"path": os.fspath(path), "links": pairs}
        return FileInfo.from_json(await self._transport.json("POST", self._at("links"), body, repeatable=True))

    def watch(self, path: Optional[Path] = None, *, recursive: bool = True) -> AsyncLiveStream:
        """Changes below a folder, from the moment at which `async with` is entered."""
        params = {"path": None if path is None else os.fspath(path), "recursive": "true" if recursive else "false"}
        return AsyncLiveStream(self._transport, self._at("watch"), params, resumes=False)

    # ---- local files and folders ----

    async def upload(self, local: Path, path: Optional[Path] = None, *, progress: Optional[Progress] = None) -> int:
        """A local file or folder to `path` (its own name when absent). Gives the number of files.

        The content of a folder goes into `path`; links inside and permissions are kept. `progress(done, total)` is
        told bytes.
        """
        local = os.fspath(local)
        name = os.path.basename(os.path.abspath(local)) if path is None else os.fspath(path)
        if not os.path.isdir(local):
            mode = (await in_thread(os.stat, local)).st_mode & 0o777
            with open(local, "rb") as file:
                await self.write(name, file, mode=mode, progress=progress)
            return 1
        return await self._upload_folder(local, name, progress)

    async def _upload_folder(self, local: str, path: str, progress: Optional[Progress]) -> int:
        found = await in_thread(look_at, local)
        total, done = found.size, 0
        await self.mkdir(path)
        for empty in found.empty:
            await self.mkdir(f"{path}/{empty}")
        for mode, batch in batches(found.files):
            sent = 0

            def told(count: int, before: int = done) -> None:
                nonlocal sent
                sent += count
                if progress is not None:
                    progress(before + sent, total)

            def begin(batch: List[LocalFile] = batch, told: Callable[[int], None] = told) -> AsyncIterator[bytes]:
                nonlocal sent
                sent = 0
                return _from_iterator(multipart(batch, told))

            await self._transport.send(
                "POST",
                self._at("upload"),
                begin,
                params={"path": path, "mode": mode_text(mode)},
                headers={"content-type": f"multipart/form-data; boundary={BOUNDARY}"},
                repeatable=True,  # the same files again are the same files
            )
            done += sent
        for at in range(0, len(found.links), LINKS):
            await self.make_links(path, dict(found.links[at : at + LINKS]))
        return len(found.files)

    async def download(self, path: Path, local: Path, *, progress: Optional[Progress] = None) -> int:
        """A file or a folder to `local`, which is the new file, or the folder that gets the content. Gives the number
        of files. Nothing is written outside of `local`, whatever the sandbox holds."""
        local = os.fspath(local)
        response = await self._get(path, None, None)
        folder = response.headers.get("content-type", "").startswith("application/x-tar")
        mode, total = response.headers.get("x-atoll-mode"), _size(response)
        await response.aclose()
        if folder:
            with tempfile.TemporaryFile(prefix="atoll-") as archive:
                await self._save(path, archive, None, progress)
                archive.seek(0)
                return await in_thread(unpack, archive, local)
        part = f"{local}.atoll-part"
        try:
            with open(part, "wb") as out:
                await self._save(path, out, total, progress)
            if mode:
                os.chmod(part, int(mode, 8) & 0o777)
            os.replace(part, local)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise
        return 1

    async def download_to(self, path: Path, file: IO[bytes], *, progress: Optional[Progress] = None) -> int:
        """A file into an open binary file. Gives the number of bytes."""
        return await self._save(path, file, None, progress)

    async def _save(self, path: Path, file: IO[bytes], total: Optional[int], progress: Optional[Progress]) -> int:
        done = 0
        async for piece in self.stream(path):
            file.write(piece)
            done += len(piece)
            if progress is not None:
                progress(done, done if total is None else total)
        return done


_OCTETS = {"content-type": "application/octet-stream"}


async def _pieces(file: IO[bytes], total: int, progress: Optional[Progress]) -> AsyncIterator[bytes]:
    """What is in an open file. No more than was announced, also when it grows meanwhile."""
    done = 0
    while total < 0 or done < total:
        piece = await in_thread(file.read, PIECE if total < 0 else min(PIECE, total - done))
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


async def _from_iterator(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while piece := await in_thread(_next, pieces):
        yield piece


def _once(body: Callable[[], AsyncIterator[bytes]]) -> Callable[[], AsyncIterator[bytes]]:
    """A body that refuses to be sent again."""
    begun = False

    def begin() -> AsyncIterator[bytes]:
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
