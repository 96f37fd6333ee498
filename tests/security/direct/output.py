"""Floods of output: memory stays flat, whether anybody reads or not."""

import json
import os
import subprocess
import threading
import time

import harness
from direct.common import both_cores, check, expect


def peak_of(pid):
    return int(harness.status_of(pid).get("VmHWM", "0 kB").split()[0]) * 1024


def watch_memory(process, seconds):
    """The largest resident set of `atoll`, its launcher and its guest in that time."""
    peaks = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        for pid in [process.pid, *harness.descendants(process.pid)]:
            name = harness.name_of(pid)
            if name.startswith("atoll"):
                peaks[name] = max(peaks.get(name, 0), peak_of(pid))
        time.sleep(0.02)
    return peaks


@check(22)
def flood_unread(programs):
    """Nobody reads: everything stands still and nothing grows."""
    process = programs.start(["/cases/22_output_flood", "forever"], options=["--timeout", "3s"], stderr=subprocess.DEVNULL)
    peaks = watch_memory(process, 2.5)
    expect(peaks, "no process of atoll was seen")
    for name, size in peaks.items():
        expect(size < 48 << 20, f"{name} grew to {size >> 20} MiB while nobody read")
    began = time.monotonic()
    total = 0
    while chunk := process.stdout.read1(1 << 20):
        total += len(chunk)
        expect(time.monotonic() - began < 60, "output goes on after the time-out")
    process.wait(60)
    process.stdout.close()
    expect(process.returncode == 124, f"exit {process.returncode}")


@check(22)
def flood_discarded(programs):
    """Half a GiB through, read as fast as it comes: memory stays flat."""
    with open(os.devnull, "wb") as null:
        process = programs.start(["/cases/22_output_flood", "flood", str(512 << 20)], options=["--timeout", "60s", *both_cores(programs)],
                                 stdout=null, stderr=null)
        peaks = watch_memory(process, 60)
        process.wait(60)
    expect(process.returncode == 0, f"exit {process.returncode}")
    for name, size in peaks.items():
        expect(size < 48 << 20, f"{name} grew to {size >> 20} MiB")


@check(22)
def flood_as_json(programs):
    """Collected output is capped and says so; the program is not held up for ever."""
    process = programs.start(["/cases/22_output_flood", "flood", str(96 << 20)],
                             options=["-o", "json", "--max-output", "1m", "--timeout", "60s", *both_cores(programs)],
                             stderr=subprocess.DEVNULL)
    with open(process.stdout.fileno(), "rb", closefd=False) as stream:
        box = {}
        reader = threading.Thread(target=lambda: box.update(text=stream.read()))
        reader.start()
        peaks = watch_memory(process, 60)
        reader.join(30)
    process.wait(30)
    record = json.loads(box["text"])
    expect(record["truncated"] is True, "truncated is not said")
    for key in ("stdout", "stderr"):
        expect(len(record[key]) <= 4 << 20, f"{key} has {len(record[key])} characters")
    for name, size in peaks.items():
        expect(size < 64 << 20, f"{name} grew to {size >> 20} MiB")


@check(22)
def flood_by_many(programs):
    """Sixty programs at once, all flooding: the sum is bounded too."""
    process = programs.start(["/bin/sh", "-c", "for i in $(seq 60); do /cases/22_output_flood forever & done; wait"],
                             options=["--timeout", "3s"], stderr=subprocess.DEVNULL)
    peaks = watch_memory(process, 2.5)
    for name, size in peaks.items():
        expect(size < 64 << 20, f"{name} grew to {size >> 20} MiB")
    while process.stdout.read1(1 << 20):
        pass
    process.wait(60)
    process.stdout.close()
