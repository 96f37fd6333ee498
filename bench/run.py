#!/usr/bin/env python3
"""Compares Atoll with bwrap, runc and, on request, Docker on this machine, in one run.

All contenders of a case take turns, round by round, so that a noisy minute hits all of them alike.
What counts is the ratio to bwrap, not the milliseconds. docs/performance.md explains the method.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import contenders
import docker
import measure
import report

TRUE = ["/bin/true"]
ECHO = ["/bin/sh", "-c", "echo hi"]
PYTHON = ["/usr/bin/python3", "-c", "print(1)"]

SECTIONS = ["latency", "output", "rate", "engine", "languages"]

# Case, contender, mode, the highest permitted ratio to bwrap (p50).
PROMISES = [
    ("true", "atoll", "hot", 0.95),
    ("true", "atoll", "after 100 ms idle", 0.85),
    ("print(1), fresh sandbox, with its destruction", "atoll zygote", "hot", 0.25),
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
    for row in json.loads(text)["rows"]:
        if "p50" in row:
            out.add_figures(section, row["case"], row["contender"], row["mode"], row["unit"],
                            row["min"], row["p50"], row["p95"])
        else:
            out.add_value(section, row["case"], row["contender"], row["unit"], row["value"])


def attempt(out, section, *args):
    """One section that fails does not take the others' figures with it."""
    try:
        section(out, *args)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        out.fail(f"{section.__name__} broke off: {error}")


def options():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="folder with atoll")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds: a minute instead of five")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, - for standard output")
    parser.add_argument("--docker", action="store_true", help="also docker run and docker exec: starts a dockerd of its own, takes minutes")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="only this section; repeatable")
    parser.add_argument("--check", action="store_true", help="exit 1 when a promise is missed")
    return parser.parse_args()


def main():
    args = options()
    wanted = set(args.only or SECTIONS)
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
    kept = out.judge(PROMISES)
    out.print_table()
    if args.json:
        text = json.dumps(out.as_json(), indent=1)
        print(text) if args.json == "-" else pathlib.Path(args.json).write_text(text + "\n")
    return 1 if out.failed or (args.check and not kept) else 0


if __name__ == "__main__":
    sys.exit(main())
