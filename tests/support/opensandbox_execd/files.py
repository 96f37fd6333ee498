"""Files and folders."""
import fnmatch
import grp
import json
import os
import pathlib
import pwd
import re
import shutil
import stat
import time

from interface import NUMBER, TEXT, Refused, bad, check_fields


def octal(mode):
    """755 is written for 0755."""
    return int(str(mode), 8)


def file_info(path):
    info = os.lstat(path)
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink"}

    def moment(seconds):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

    return {"path": os.fsdecode(path).encode(errors="surrogateescape").decode(errors="replace"),
            "type": kinds.get(stat.S_IFMT(info.st_mode), "other"), "size": info.st_size,
            "modified_at": moment(info.st_mtime), "created_at": moment(info.st_ctime),
            "owner": pwd.getpwuid(info.st_uid).pw_name, "group": grp.getgrgid(info.st_gid).gr_name,
            "mode": int(oct(info.st_mode & 0o777)[2:])}


def set_permission(path, permission):
    check_fields(permission, {"mode": (NUMBER, False), "owner": (TEXT, False), "group": (TEXT, False)})
    if permission.get("mode") is not None:
        os.chmod(path, octal(permission["mode"]))
    if permission.get("owner") or permission.get("group"):
        shutil.chown(path, permission.get("owner") or None, permission.get("group") or None)


class Files:
    """The operations on files, for a request handler."""

    def on_get_files_info(self, query, _):
        self.send(200, {path: file_info(path) for path in query["path"]})

    def on_delete_files(self, query, _):
        for path in query["path"]:
            os.unlink(path)
        self.send(200)

    def on_post_files_permissions(self, _, body):
        for path, permission in body.items():
            set_permission(path, permission)
        self.send(200)

    def on_post_files_mv(self, _, body):
        for pair in body:
            check_fields(pair, {"src": (TEXT, True), "dest": (TEXT, True)})
            os.rename(pair["src"], pair["dest"])
        self.send(200)

    def on_get_files_search(self, query, _):
        root, pattern = query["path"][0], query.get("pattern", ["**"])[0]
        os.stat(root)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
                 if fnmatch.fnmatchcase(name, pattern)]
        self.send(200, [file_info(path) for path in sorted(found)])

    def on_post_files_upload(self, _, body):
        boundary = self.headers.get_param("boundary")
        if self.headers.get_content_type() != "multipart/form-data" or not boundary:
            raise Refused(400, "INVALID_FILE", "multipart form is empty")
        parts = {"metadata": [], "file": []}
        for part in (b"\r\n" + body).split(b"\r\n--" + boundary.encode())[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            name = re.search(rb'[; ]name="([^"]*)"', head)
            if name is None or b"filename=" not in head or name[1].decode() not in parts:
                raise Refused(400, "INVALID_FILE", "a part is neither metadata nor file")
            parts[name[1].decode()].append(content)
        if not parts["file"] or len(parts["file"]) != len(parts["metadata"]):
            raise Refused(400, "INVALID_FILE", "metadata and file count mismatch")
        for metadata, content in zip(parts["metadata"], parts["file"]):
            meta = json.loads(metadata)
            check_fields(meta, {"path": (TEXT, True), "mode": (NUMBER, False), "owner": (TEXT, False),
                                "group": (TEXT, False)})
            path = pathlib.Path(meta.pop("path"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            set_permission(path, meta)
        self.send(200)

    def on_get_files_download(self, query, _):
        path = query["path"][0]
        if os.path.isdir(path):
            raise OSError("seeker can't seek")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            first, last, status = 0, size - 1, 200
            if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, last, status = int(asked[1]), min(int(asked[2] or size - 1), size - 1), 206
                if first >= size:
                    raise Refused(416, "INVALID_FILE", "invalid range: failed to overlap")
            self.send_response(status)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(last - first + 1))
            if status == 206:
                self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
            self.end_headers()
            if last >= first:
                self.connection.sendfile(file, first, last - first + 1)

    def on_get_directories_list(self, query, _):
        root, depth = query["path"][0], int(query.get("depth", ["1"])[0])
        if os.path.islink(root) or (os.path.lexists(root) and not os.path.isdir(root)):
            raise bad(f"path is not a directory: {root}")

        def below(folder, levels):
            for name in sorted(os.listdir(folder)):
                path = os.path.join(folder, name)
                yield file_info(path)
                if levels > 1 and os.path.isdir(path) and not os.path.islink(path):
                    yield from below(path, levels - 1)

        self.send(200, list(below(root, depth)) if depth > 0 else [])

    def on_post_directories(self, _, body):
        for path, permission in body.items():
            os.makedirs(path, exist_ok=True)
            set_permission(path, permission)
        self.send(200)

    def on_delete_directories(self, query, _):
        for path in query["path"]:
            shutil.rmtree(path)
        self.send(200)

    def on_get_metrics(self, *_):
        total, free = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") / 2**20
                       for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
        self.send(200, {"cpu_count": os.cpu_count(), "cpu_used_pct": 0.0, "mem_total_mib": total,
                        "mem_used_mib": total - free, "timestamp": int(time.time() * 1000)})
