#!/usr/bin/env python3
"""Runs the tests of a release build in a virtual machine: Debian's cloud kernel, cgroup v2 and nothing of v1.

Without a label: the tests that meet the kernel. The kernel and a root of the host's own packages are kept in
~/.cache/atoll/vm; runs leave nothing else. Without KVM that is proven to work the processor is emulated, and the
tests are given that much more time.
"""
import argparse
import fcntl
import os
import pathlib
import shlex
import shutil
import signal
import sys
import time

import image
import kernel
import machine

TREE = pathlib.Path(__file__).resolve().parents[2]
# What meets the kernel. The pass as an ordinary user has no cgroups and takes as long as all the others.
TESTS = "^(native_conformance_test|security_.*|hijacked_client_test|file_symlink_test|guest_storm_test|python_driver_zygote|e2e_(limits|files|host|rootless))$"
LEFT_OUT = "^security_rootless$"
SLOWER = {"kvm": 2, "tcg": 10}  # budgets and time-outs of the tests, times this
DEADLINE = 1500
LEAK_CYCLES = 64


def test_command(build, accel, labels):
    words = ["python3", "tools/run_tests.py", build, "--slower", str(SLOWER[accel])]
    words += labels or ["--tests", TESTS, "--exclude", LEFT_OUT]
    return f"export ATOLL_LEAK_CYCLES={LEAK_CYCLES} ATOLL_TEST_SLOWER={SLOWER[accel]}\nexec {shlex.join(words)}\n"


def prepare(cache, options):
    """Kernel, disks and accelerator; one at a time, so leftovers of a run that was killed are nobody's."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache.glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)
        linux = kernel.fetch(cache)
        root = image.root_image(cache, linux)
        accel = options.accel
        if accel == "auto":
            accel = "kvm" if machine.kvm_works(cache, linux) else "tcg"
        build = os.path.relpath(pathlib.Path(options.build).resolve(), TREE)
        command = options.command or test_command(build, accel, options.labels)
        return linux, accel, root, image.tree_image(cache, TREE, build, SLOWER[accel], command)


def main():
    parser = argparse.ArgumentParser(usage="./dev test-vm [OPTION…] [LABEL…]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help=argparse.SUPPRESS)  # ./dev gives it
    parser.add_argument("--accel", choices=["auto", "kvm", "tcg"], default="auto")
    parser.add_argument("--deadline", type=int, default=DEADLINE)
    parser.add_argument("--command", help="a shell command in place of the tests, run in the tree")
    parser.add_argument("labels", nargs="*")
    options = parser.parse_intermixed_args()
    if os.geteuid() != 0:
        sys.exit("test-vm: needs root, to copy packages with their owners")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that everything is tidied up
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/vm"
    began = time.monotonic()
    linux, accel, root, tree_disk = prepare(cache, options)
    print(f"test-vm: Linux {linux.release}, {accel}, ready after {time.monotonic() - began:.0f} s", flush=True)
    with tree_disk:
        status = machine.run(accel, linux, root, tree_disk, TREE, options.deadline)
    print(f"test-vm: {time.monotonic() - began:.0f} s in all", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
