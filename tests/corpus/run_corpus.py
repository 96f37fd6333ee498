#!/usr/bin/env python3
"""Runs the programs of the corpus in several ways and compares each outcome with the expected one.

usage: run_corpus.py [OPTION…] LANGUAGE…

Expected is what was committed, and running a program bare on the host must still give exactly that; so an
expectation that is wrong cannot hide, and a sandbox that changes a program's behaviour cannot either.
A program's stdout, exit status and (where NAME.err exists) stderr count, byte for byte.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from programs import SUFFIXES, find_programs
from strategies import STRATEGIES, prepare_cache

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description="the corpus of programs with expected output")
    parser.add_argument("languages", nargs="+", choices=sorted(SUFFIXES), metavar="LANGUAGE")
    parser.add_argument("--corpus", type=pathlib.Path, default=HERE, help="folder of the corpus")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="only this program; repeatable")
    parser.add_argument("--strategy", action="append", choices=sorted(STRATEGIES),
                        help="how to run; repeatable (default: bare and run)")
    parser.add_argument("--run-option", action="append", default=[], metavar="OPTION",
                        help="passed on to `atoll run`, as in --run-option=--cpus=2; repeatable")
    parser.add_argument("--cache", type=pathlib.Path, metavar="DIR",
                        help="where Go keeps what it compiled; without it nowhere, which is slow")
    parser.add_argument("--at-least", type=int, default=1, metavar="N",
                        help="fail when there are fewer programs")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at one time (default 2)")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="name the N slowest runs")
    parser.add_argument("--regenerate", action="store_true",
                        help="write what the programs do when run bare as expected; read the diff!")
    return parser.parse_args()


def timed_run(strategy, program):
    start = time.monotonic()
    try:
        outcome = strategy.run(program)
    except subprocess.TimeoutExpired as error:
        outcome = error
    return outcome, time.monotonic() - start


def run_all(strategy, programs, jobs):
    """Yields (program, outcome or the error, seconds) in the order of the programs."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda program: timed_run(strategy, program), programs)
        for program, (outcome, seconds) in zip(programs, results):
            yield program, outcome, seconds


def possible(strategy, programs):
    """Those that can run here; for a language that cannot, the reason and a skip, which must be listed."""
    lacking = {}
    for language in dict.fromkeys(program.language for program in programs):
        reason = strategy.lacks(language)
        if reason:
            lacking[language] = reason
            print(f"{language}: {reason}\n[  SKIPPED ] corpus/{strategy.name}/{language}")
    return [program for program in programs if program.language not in lacking]


def check(strategy, programs, options):
    """Prints every difference; returns how many programs differ."""
    start, bad, spent = time.monotonic(), 0, []
    for program, outcome, seconds in run_all(strategy, programs, options.jobs):
        spent.append((seconds, program.name))
        if isinstance(outcome, Exception):
            problems = [f"not done after {outcome.timeout} s"]
        else:
            problems = list(program.problems(outcome))
            if problems and not program.beside(".err").exists() and outcome.err:
                problems.append("stderr was: " + outcome.err[-1000:].decode("utf-8", "replace"))
        bad += bool(problems)
        for problem in problems:
            print(f"FAILED {strategy.name} {program.name}: {problem}")
    print(f"{strategy.name}: {len(programs) - bad} of {len(programs)} programs as expected, "
          f"{time.monotonic() - start:.1f} s", flush=True)
    for seconds, name in sorted(spent, reverse=True)[:options.slowest]:
        print(f"  {seconds:6.2f} s {name}")
    return bad


def regenerate(strategy, programs, options):
    for program, outcome, _ in run_all(strategy, programs, options.jobs):
        if isinstance(outcome, Exception):
            raise outcome
        changed = list(program.problems(outcome))
        if changed:
            program.write_expected(outcome)
            print(f"{program.name}: {changed[0].splitlines()[0]}")


def open_cache(options, stack):
    """Makes options.cache usable. A folder that other users cannot reach is of no use as one."""
    above = options.cache.absolute().parents if options.cache else []
    reachable = above and all(folder.stat().st_mode & 0o001 for folder in above if folder.exists())
    if not reachable:
        options.cache = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="atoll-corpus-cache-", ignore_cleanup_errors=True)))
    if "go" in options.languages:
        prepare_cache(options.cache)


def main():
    with contextlib.ExitStack() as stack:
        options = parse_arguments()
        open_cache(options, stack)
        return run(options)


def run(options):
    programs = find_programs(options.corpus, options.languages, options.only)
    if len(programs) < options.at_least:
        sys.exit(f"run_corpus: {len(programs)} programs found, at least {options.at_least} wanted")
    if options.regenerate:
        strategy = STRATEGIES["bare"](options)
        return regenerate(strategy, possible(strategy, programs), options)
    names = options.strategy or ["bare", "run"]
    if set(names) != {"bare"} and "ATOLL_BIN" not in os.environ:
        sys.exit("run_corpus: ATOLL_BIN must name the folder with atoll")
    bad = 0
    for name in names:
        strategy = STRATEGIES[name](options)
        bad += check(strategy, possible(strategy, programs), options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
