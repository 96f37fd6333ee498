"""Clocks and loops. Commands start with posix_spawn: forking this interpreter would cost as much as a sandbox."""
import fcntl
import itertools
import os
import subprocess
import sys
import time

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C", "HOME": "/tmp"}
DEVNULL = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)

NUMBER = "@N@"  # in an argument: replaced by a number that was not used before
numbers = itertools.count()


def spawn(argv, stdout=DEVNULL):
    if NUMBER in argv[-1]:
        argv = [*argv[:-1], argv[-1].replace(NUMBER, str(next(numbers)))]
    actions = [(os.POSIX_SPAWN_DUP2, DEVNULL, 0), (os.POSIX_SPAWN_DUP2, stdout, 1), (os.POSIX_SPAWN_DUP2, DEVNULL, 2)]
    return os.posix_spawnp(argv[0], argv, ENV, file_actions=actions)


def run_once(argv):
    """Milliseconds from start to reaped; raises when the command fails."""
    start = time.perf_counter_ns()
    _, status = os.waitpid(spawn(argv), 0)
    elapsed = (time.perf_counter_ns() - start) / 1e6
    if status != 0:
        raise RuntimeError(f"{argv[0]} ended with status {os.waitstatus_to_exitcode(status)}")
    return elapsed


def rotated(people, turn):
    shift = turn % len(people)
    return people[shift:] + people[:shift]


def take_turns(people, rounds, pause):
    """people: [(name, argv)]. Returns name -> samples; the order rotates, so nobody always goes first."""
    samples = {name: [] for name, _ in people}
    for _, argv in people:
        run_once(argv)  # page cache
    for turn in range(rounds):
        for name, argv in rotated(people, turn):
            if pause:
                time.sleep(pause)
            samples[name].append(run_once(argv))
    return samples


def pipe_throughput(people, size, rounds):
    """name -> best MB/s of a command that writes `size` bytes to a pipe that is read as fast as possible."""
    best = {name: 0.0 for name, _ in people}
    buffer = bytearray(1 << 20)
    for turn in range(rounds):
        for name, argv in rotated(people, turn):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
            start = time.perf_counter()
            child = spawn(argv, writer)
            os.close(writer)
            total = 0
            while got := os.readv(reader, [buffer]):
                total += got
            elapsed = time.perf_counter() - start
            os.close(reader)
            _, status = os.waitpid(child, 0)
            if status != 0 or total != size:
                raise RuntimeError(f"{name}: {total} of {size} bytes, status {status}")
            best[name] = max(best[name], total / elapsed / 1e6)
    return best


def parallel_rate(people, seconds, width, slices=20):
    """name -> commands finished per second with `width` of them running at any time."""
    counts, spent = {name: 0 for name, _ in people}, {name: 0.0 for name, _ in people}
    for turn in range(slices):
        for name, argv in rotated(people, turn):
            start = time.perf_counter()
            running = {spawn(argv) for _ in range(width)}
            while running:
                child, status = os.waitpid(-1, 0)
                if child not in running:
                    continue
                running.discard(child)
                if status != 0:
                    raise RuntimeError(f"{name} failed with status {status}")
                counts[name] += 1
                if time.perf_counter() - start < seconds / slices:
                    running.add(spawn(argv))
            spent[name] += time.perf_counter() - start
    return {name: counts[name] / spent[name] for name in counts}


def output_of(argv, timeout=60):
    run = subprocess.run(argv, env=ENV, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    if run.returncode != 0:
        raise RuntimeError((run.stderr or run.stdout).strip().splitlines()[-1:] or f"exit {run.returncode}")
    sys.stderr.write(run.stderr)  # what it found odd
    return run.stdout
