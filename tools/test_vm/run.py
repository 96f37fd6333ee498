#!/usr/bin/env python3
"""Runs the tests of a release build in a virtual machine: Debian's cloud kernel, cgroup v2 and nothing of v1.

Without a label: the tests that depend on control groups, as CI runs them (tools/test_vm/sets.py). The kernel and a
root of the host's own packages are kept in ~/.cache/atoll/vm; runs leave nothing else. Without KVM that is proven to
work the processor is emulated, and the tests are given that much more time.
"""
import argparse
import fcntl
import glob
import os
import pathlib
import shutil
import signal
import sys
import time

import image
import kernel
import machine
import sets

TREE = pathlib.Path(__file__).resolve().parents[2]
SLOWER = {"kvm": 2, "tcg": 10}  # budgets and time-outs of the tests, times this


def chosen_set(options):
    if options.labels:
        return sets.of_labels(options.labels)
    return sets.ALL if options.all else sets.CI


def found_caches(patterns):
    """The folders that the patterns name, each of which must be there."""
    folders = [(pattern, sorted(glob.glob(os.path.expanduser(pattern)))) for pattern in patterns]
    missing = [pattern for pattern, found in folders if not found]
    if missing:
        sys.exit(f"test-vm: there is no {', '.join(missing)}; ./dev test backends makes it")
    return [found[-1] for _, found in folders]


def prepare(cache, options, chosen):
    """Kernel, disks and accelerator; one at a time, so leftovers of a run that was killed are nobody's."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache.glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)
        linux = kernel.fetch(cache)
        root = image.root_image(cache, linux, chosen.packages)
        accel = options.accel
        if accel == "auto":
            accel = "kvm" if machine.kvm_works(cache, linux) else "tcg"
        build = os.path.relpath(pathlib.Path(options.build).resolve(), TREE)
        command = options.command or sets.command(build, chosen, SLOWER[accel])
        caches = found_caches(chosen.caches)
        return linux, accel, root, image.tree_image(cache, TREE, build, SLOWER[accel], command, caches)


def main():
    parser = argparse.ArgumentParser(usage="./dev test-vm [OPTION…] [LABEL…]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help=argparse.SUPPRESS)  # ./dev gives it
    parser.add_argument("--all", action="store_true", help="all tests that meet the kernel, crash tests, and the limits of "
                        "the srt and Docker backends; more than half an hour where the processor is emulated")
    parser.add_argument("--accel", choices=["auto", "kvm", "tcg"], default="auto")
    parser.add_argument("--deadline", type=int, metavar="SECONDS", help="from boot to the last result")
    parser.add_argument("--command", help="a shell command in place of the tests, run in the tree")
    parser.add_argument("labels", nargs="*")
    options = parser.parse_intermixed_args()
    if os.geteuid() != 0:
        sys.exit("test-vm: needs root, to copy packages with their owners")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that everything is tidied up
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/vm"
    chosen = chosen_set(options)
    began = time.monotonic()
    linux, accel, root, tree_disk = prepare(cache, options, chosen)
    print(f"test-vm: Linux {linux.release}, {accel}, ready after {time.monotonic() - began:.0f} s", flush=True)
    with tree_disk:
        status = machine.run(accel, linux, root, tree_disk, TREE, options.deadline or chosen.deadline)
    verdict = "passed" if status == 0 else f"FAILED with status {status}"
    print(f"test-vm: {verdict} on Linux {linux.release} with cgroup v2, {time.monotonic() - began:.0f} s in all", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
