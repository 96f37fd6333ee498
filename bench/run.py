#!/usr/bin/env python3
"""Compares Atoll with bwrap, runc, nginx and, on request, Docker on this machine, in one run.

All contenders of a case take turns, round by round, so that a noisy minute hits all of them alike.
What counts is the ratio to bwrap, not the milliseconds. docs/performance.md explains the method.
"""
import argparse
import json
import pathlib
import signal
import sys
import tempfile

import api
import backend_docker
import backend_opensandbox
import backend_srt
import contenders
import crowd
import dialects
import docker
import life
import measure
import network
import report
import neighbours
import restart
import sdks
from report import Promise

TRUE = ["/bin/true"]
ECHO = ["/bin/sh", "-c", "echo hi"]
PYTHON = ["/usr/bin/python3", "-c", "print(1)"]

SECTIONS = ["latency", "output", "rate", "engine", "languages", "api", "life", "crowd", "dialects", "restart", "neighbours", "network", "sdks",
            "docker", "srt", "opensandbox"]

SHELL_LIFE = "create, echo 1, delete: shell-default"
NUMPY = "create, a numpy result, delete"
FLAT = 96 << 10  # KiB that a server may grow while a gibibyte passes: the result keeps 10 MiB of each stream and of both

PROMISES = [
    Promise("true", "atoll", "hot", "to bwrap", most=0.95),
    Promise("true", "atoll", "after 100 ms idle", "to bwrap", most=0.85),
    Promise("print(1), fresh sandbox, with its destruction", "atoll zygote", "hot", "to bwrap", most=0.25),
    *(promise for contender in ("atoll", "atoll, POST /run") for promise in (
        Promise(api.LIFE, contender, "hot", "to bwrap", most=1 / 8),
        Promise(api.LIFE, contender, "hot", "to docker run", most=1 / 150),
        Promise(api.LIFE, contender, "hot", "p99/p50", most=4),
        Promise(api.LIFE, contender, "after 200 ms idle", "to bwrap", most=1 / 5))),
    *(promise for case, rate in ((api.LIFE, 120), (SHELL_LIFE, 250)) for promise in (
        Promise(case, "atoll", "sustained", "value", least=rate),
        Promise(f"{case}: failed", "atoll", "sustained", "value", most=0),
        Promise(f"{case}: success", "atoll", "one every 20 ms", "value", least=100),
        Promise(f"{case}: success", "atoll", "burst of 100", "value", least=100))),
    Promise("python-default comes from a zygote", "atoll", "", "value", least=1),
    Promise(f"{NUMPY}: success", "atoll", "burst of 100", "value", least=100),
    Promise(f"{NUMPY}: until all results", "atoll", "burst of 100", "p50", most=600),
    Promise("idle Python session, all memory", "atoll", "", "value", most=2560),
    Promise("download", "atoll", "", "value", least=500),
    Promise("download", "atoll", "", "to relay", least=0.4),
    Promise("upload", "atoll", "", "to relay", least=0.4),
    Promise("output as events", "atoll", "", "value", least=120),
    *(Promise(f"{name}: growth of the server", "atoll", "", "value", most=FLAT) for name in ("download", "upload", "output as events")),
    Promise(backend_docker.INSIDE, "atoll", "", "to docker exec", most=1 / 40),
    Promise(backend_srt.EXEC, "atoll", "", "to srt", most=1 / 20),
    Promise(f"{life.CASE}python-default", "atoll", "0 idle sessions", "to floor", most=5.5),
    Promise(f"{life.CASE}shell-default", "atoll", "0 idle sessions", "to floor", most=4),
    *(Promise(f"{life.GROWTH}{template}", "atoll", f"{idle} idle sessions", "value", most=most)
      for template in ("python-default", "shell-default") for idle, most in ((400, 1.2), (1000, 1.3))),
    *(promise for clients in crowd.PROMISED for promise in (
        Promise(crowd.CREATE, "atoll", f"{clients} clients", "p99/p50", most=3),
        Promise(crowd.FAILED, "atoll", f"{clients} clients", "value", most=0))),
    *dialects.PROMISES,
    Promise(neighbours.RATIO, "atoll", "", "value", most=2),
    Promise(restart.OPEN, "atoll", f"{restart.SESSIONS[-1]} sessions", "p50", most=1000),
    *network.PROMISES,
    *(Promise(sdks.BEYOND, contender, "", "value", most=0.3) for contender in sdks.CONTENDERS),
    *(promise for contender in ("Python", "Python, async") for promise in (
        Promise("download of 100 MiB", contender, "", "value", least=200),
        Promise("output of 100 MiB as events", contender, "", "value", least=60),
        Promise("memory that both took", contender, "", "value", most=32))),
    Promise(sdks.MAP_RATIO, "Python, async", "", "value", least=0.8),
    Promise("import", "Python", "", "value", most=150),
    Promise("DELETE of a session that is bombing", "atoll", "hot", "p99", most=200),
]


def latency(out, case, people, rounds, idle_rounds):
    """Wall time of the whole command, hot and after idle."""
    for mode, count, pause in (("hot", rounds, 0.0), ("after 100 ms idle", idle_rounds, 0.1)):
        samples = measure.take_turns(people, count, pause)
        for name, _ in people:
            out.add_latency("latency", case, name, mode, samples[name])


def throughput(out, people, size, rounds):
    best = measure.pipe_throughput(people, size, rounds)
    for name, _ in people:
        out.add_value("output", f"{size >> 20} MiB to a pipe", name, "MB/s", best[name])


def rate(out, people, seconds, width):
    done = measure.parallel_rate(people, seconds, width)
    for name, _ in people:
        out.add_value("rate", f"create, run true, destroy; {width} at a time", name, "per s", done[name])


def inside(out, section, bin_dir, quick):
    """Figures from inside one process, without a command line around each sandbox."""
    program = bin_dir / f"atoll-bench-{section}"
    if not program.exists():
        out.note(f"{program.name} is not built: no figures for the section {section}")
        return
    text = measure.output_of([str(program)] + (["--quick"] if quick else []), timeout=600)
    out.add_rows(section, json.loads(text)["rows"])


def attempt(out, section, *args):
    """One section that fails does not take the others' figures with it."""
    try:
        section(out, *args)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        out.fail(f"{section.__name__} broke off: {error}")


def options():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", nargs="*", help=f"only these: {', '.join(SECTIONS)}")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="folder with atoll")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: two minutes instead of fifteen")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, - for standard output")
    parser.add_argument("--docker", action="store_true", help="also docker run and docker exec: starts a dockerd of its own, takes minutes")
    parser.add_argument("--check", action="store_true", help="exit 1 when a promise is missed")
    args = parser.parse_args()
    if unknown := set(args.section) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    return args


def main():
    args = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that what was started is ended too
    wanted = set(args.section or SECTIONS)
    rounds, idle_rounds = (30, 10) if args.quick else (300, 60)
    out = report.Report()
    with tempfile.TemporaryDirectory(prefix="atoll-bench.") as scratch, \
            docker.maybe(args.docker, pathlib.Path(scratch), out) as engine_docker:
        field = contenders.Field(args.bin.resolve(), pathlib.Path(scratch), engine_docker, out)
        if "latency" in wanted:
            attempt(out, latency, "true", field.for_command(TRUE, bare=True), rounds, idle_rounds)
            attempt(out, latency, "sh -c 'echo hi'", field.for_command(ECHO), rounds, idle_rounds)
            attempt(out, latency, "python print(1)", field.for_command(PYTHON), rounds // 2, idle_rounds)
            if engine_docker:
                attempt(out, latency, "true, docker", field.docker_commands(TRUE), max(5, rounds // 30), 5)
                attempt(out, latency, "python print(1), docker", field.docker_commands(PYTHON), max(5, rounds // 30), 5)
        if "output" in wanted:
            size = (256 if args.quick else 1024) << 20
            writers = field.for_command(["/usr/bin/head", "-c", str(size), "/dev/zero"], bare=True, runc=False)
            attempt(out, throughput, writers, size, 2 if args.quick else 5)
        if "rate" in wanted:
            for width in (2, 4):
                attempt(out, rate, field.for_command(TRUE), 2 if args.quick else 10, width)
        for section in ("engine", "languages"):
            if section in wanted:
                attempt(out, inside, section, args.bin.resolve(), args.quick)
        if "api" in wanted:
            attempt(out, api.api, args.bin.resolve(), pathlib.Path(scratch), engine_docker, args.quick)
        if "life" in wanted:
            attempt(out, life.life, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "crowd" in wanted:
            attempt(out, crowd.crowd, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "dialects" in wanted:
            attempt(out, dialects.dialects, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "restart" in wanted:
            attempt(out, restart.restart, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "neighbours" in wanted:
            attempt(out, neighbours.neighbours, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "network" in wanted:
            attempt(out, network.network, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "sdks" in wanted:
            attempt(out, sdks.sdks, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "docker" in wanted:
            attempt(out, backend_docker.docker, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "srt" in wanted:
            attempt(out, backend_srt.srt, args.bin.resolve(), pathlib.Path(scratch), args.quick)
        if "opensandbox" in wanted:
            attempt(out, backend_opensandbox.opensandbox, args.bin.resolve(), pathlib.Path(scratch), args.quick)
    kept = out.judge(PROMISES)
    out.print_table()
    if args.json:
        text = json.dumps(out.as_json(), indent=1)
        print(text) if args.json == "-" else pathlib.Path(args.json).write_text(text + "\n")
    return 1 if out.failed or (args.check and not kept) else 0


if __name__ == "__main__":
    sys.exit(main())
