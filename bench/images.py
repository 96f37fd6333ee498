#!/usr/bin/env python3
"""Compares `atoll image import` with `docker load`: the same archives, in turns, on this machine.

The archive is what `docker save` writes for an image of about 200 MB with three layers, made of this
host's own files. Both sides start from an empty store every time; dockerd runs already.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile

import docker
import measure
import report

NAME = "atoll-bench-image:latest"
ROOTS = ["/usr/lib", "/usr/share", "/usr/bin"]
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]


def layer(root, size):
    """A tar of the files below `root`, until there are `size` bytes of them."""
    data = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for folder, folders, files in os.walk(root):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.access(path, os.R_OK) or os.path.getsize(path) > size // 4:
                    continue
                tar.add(path, arcname=path[1:], recursive=False)
                total += os.path.getsize(path)
                if total >= size:
                    return data.getvalue()
    return data.getvalue()


def write_archive(path, size):
    layers = [layer(root, size // len(ROOTS)) for root in ROOTS]
    digests = [hashlib.sha256(data).hexdigest() for data in layers]
    config = json.dumps(
        {
            "architecture": ARCHITECTURE,
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest for digest in digests]},
        }
    ).encode()
    name = hashlib.sha256(config).hexdigest() + ".json"
    paths = [f"{digest}/layer.tar" for digest in digests]
    manifest = json.dumps([{"Config": name, "RepoTags": [NAME], "Layers": paths}]).encode()
    with tarfile.open(path, "w") as tar:
        for member, data in [(name, config), *zip(paths, layers), ("manifest.json", manifest)]:
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def pack(path):
    packed = path.with_suffix(".tar.gz")
    with open(path, "rb") as plain, gzip.open(packed, "wb", compresslevel=6) as out:
        shutil.copyfileobj(plain, out, 1 << 20)
    return packed


def take_turns(out, case, contenders, rounds):
    """contenders: [(name, argv, argv that undoes it)]"""
    samples = {name: [] for name, _, _ in contenders}
    for turn in range(rounds + 1):  # the first round only warms the page cache
        for name, bring, drop in measure.rotated(contenders, turn):
            elapsed = measure.run_once(bring)
            measure.run_once(drop)
            if turn:
                samples[name].append(elapsed)
    for name, taken in samples.items():
        out.add_latency("images", case, name, "hot", taken)
    middle = {name: report.quantile(taken, 0.5) for name, taken in samples.items()}
    if len(middle) == 2:
        out.add_value(
            "images", f"{case}: of docker load", "atoll", "%", 100 * middle["atoll"] / middle["docker load"]
        )


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="folder with atoll"
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the size and of the rounds")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, - for standard output")
    parser.add_argument("--no-docker", action="store_true", help="only atoll: no dockerd is started")
    return parser.parse_args()


def main():
    args = options()
    size, rounds = (50 << 20, 3) if args.quick else (200 << 20, 11)
    out = report.Report()
    atoll = str(args.bin.resolve() / "atoll")
    with tempfile.TemporaryDirectory(prefix="atoll-bench.") as name:
        scratch = pathlib.Path(name)
        archive = scratch / "image.tar"
        write_archive(archive, size)
        measure.ENV["ATOLL_DATA"] = str(scratch / "data")

        def save_again(engine, _):
            """What Docker itself makes of the image, so that both read a real `docker save`."""
            measure.output_of([*engine.client, "load", "-i", str(archive)], timeout=300)
            measure.output_of([*engine.client, "save", "-o", str(archive), NAME], timeout=300)
            measure.output_of([*engine.client, "rmi", NAME])

        with docker.maybe(not args.no_docker, scratch, out, prepare=save_again) as engine:
            for kind, path in (("docker save", archive), ("docker save, gzipped", pack(archive))):
                case = f"{kind}, {path.stat().st_size >> 20} MiB"
                contenders = [("atoll", [atoll, "image", "import", str(path)], [atoll, "image", "rm", NAME])]
                if engine:
                    contenders.append(
                        (
                            "docker load",
                            [*engine.client, "load", "-q", "-i", str(path)],
                            [*engine.client, "rmi", NAME],
                        )
                    )
                take_turns(out, case, contenders, rounds)
    out.print_table()
    if args.json:
        text = json.dumps(out.as_json(), indent=1)
        print(text) if args.json == "-" else pathlib.Path(args.json).write_text(text + "\n")
    return 1 if out.failed else 0


if __name__ == "__main__":
    sys.exit(main())
