"""Image archives of every kind, made in memory: good ones, and ones that lie."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile

BUSYBOX = "/bin/busybox"
MTIME = 1_700_000_000
HOST = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Tar:
    """Builds a tar entry by entry; nothing is checked, so anything can be said."""

    def __init__(self):
        self._bytes = io.BytesIO()
        self._tar = tarfile.open(fileobj=self._bytes, mode="w", format=tarfile.PAX_FORMAT)

    def add(
        self, name, data=b"", kind=tarfile.REGTYPE, mode=0o644, link="", uid=0, gid=0, pax=None, mtime=MTIME
    ):
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.linkname, info.uid, info.gid, info.mtime = (
            kind,
            mode,
            link,
            uid,
            gid,
            mtime,
        )
        info.pax_headers = pax or {}
        info.size = len(data)
        self._tar.addfile(info, io.BytesIO(data))
        return self

    def folder(self, name, mode=0o755, **more):
        return self.add(name, kind=tarfile.DIRTYPE, mode=mode, **more)

    def symlink(self, name, target, **more):
        return self.add(name, kind=tarfile.SYMTYPE, link=target, mode=0o777, **more)

    def hardlink(self, name, target):
        return self.add(name, kind=tarfile.LNKTYPE, link=target)

    def done(self):
        self._tar.close()
        return self._bytes.getvalue()


def layer(*files, **contents):
    """A layer of plain files: layer(("etc/x", b"1")) or layer(a=b"1")."""
    tar = Tar()
    for name, data in [*files, *contents.items()]:
        tar.add(name, data)
    return tar.done()


def zstd(data):
    """A zstd frame of raw blocks: valid, and needs no library."""
    frame = b"\x28\xb5\x2f\xfd" + b"\xa0" + len(data).to_bytes(4, "little")
    pieces = [data[at : at + 100_000] for at in range(0, len(data), 100_000)] or [b""]
    for number, piece in enumerate(pieces):
        header = (number + 1 == len(pieces)) | len(piece) << 3
        frame += header.to_bytes(3, "little") + piece
    return frame


def config_of(layers, config=None, **changes):
    document = {
        "architecture": HOST,
        "os": "linux",
        "created": "2024-05-06T07:08:09Z",
        "config": config or {},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + sha256(one) for one in layers]},
    }
    return json.dumps({**document, **changes}).encode()


def docker(
    layers,
    names=("test:latest",),
    config=None,
    pack=lambda data: data,
    change=lambda members: None,
    **changes,
):
    """What `docker save` used to write. `change` may spoil the members before they are put together."""
    document = config_of(layers, config, **changes)
    paths = [f"{number:064x}/layer.tar" for number in range(len(layers))]
    members = {path: pack(data) for path, data in zip(paths, layers)}
    members[sha256(document) + ".json"] = document
    members["manifest.json"] = json.dumps(
        [{"Config": sha256(document) + ".json", "RepoTags": list(names) if names else None, "Layers": paths}]
    ).encode()
    change(members)
    return archive(members)


def archive(members):
    tar = Tar()
    for name, data in members.items():
        if isinstance(data, tuple):
            tar.symlink(name, data[0])
        else:
            tar.add(name, data)
    return tar.done()


class Blobs:
    """The blobs of an OCI layout, by digest."""

    def __init__(self):
        self.members = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

    def put(self, data, kind="", **more):
        digest = sha256(data)
        self.members["blobs/sha256/" + digest] = data
        return {
            "mediaType": "application/vnd.oci.image." + kind,
            "digest": "sha256:" + digest,
            "size": len(data),
            **more,
        }

    def image(self, layers, config=None, pack=gzip.compress, **changes):
        """A manifest; returns its descriptor."""
        document = self.put(config_of(layers, config, **changes), "config.v1+json")
        packed = [self.put(pack(data), "layer.v1.tar+gzip") for data in layers]
        return self.index_entry(
            {"schemaVersion": 2, "config": document, "layers": packed}, "manifest.v1+json"
        )

    def index_entry(self, document, kind):
        return self.put(json.dumps(document).encode(), kind)

    def done(self, *manifests, **changes):
        self.members["index.json"] = json.dumps(
            {"schemaVersion": 2, "manifests": list(manifests), **changes}
        ).encode()
        return archive(self.members)


def named(descriptor, name, platform=HOST):
    return {
        **descriptor,
        "annotations": {"org.opencontainers.image.ref.name": name},
        "platform": {"os": "linux", "architecture": platform},
    }


def oci(layers, name="test:latest", **more):
    blobs = Blobs()
    return blobs.done(named(blobs.image(layers, **more), name))


def busybox_layer():
    """A root file system with a shell and its tools."""
    with open(BUSYBOX, "rb") as file:
        program = file.read()
    tar = Tar()
    for name in ("bin", "etc", "home", "root", "var", "usr", "usr/bin"):
        tar.folder(name)
    tar.folder("tmp", mode=0o1777)
    tar.add("bin/busybox", program, mode=0o755)
    tools = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for tool in tools:
        if tool != "busybox":
            tar.symlink(f"bin/{tool}", "busybox")
    tar.add("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nimage:x:1000:1000::/home/image:/bin/sh\n")
    tar.add("etc/motd", b"from the image\n")
    tar.folder("home/image", mode=0o700, uid=1000, gid=1000)
    tar.add("home/image/own", b"mine\n", mode=0o600, uid=1000, gid=1000)
    tar.add("etc/secret", b"of root\n", mode=0o600)
    return tar.done()
