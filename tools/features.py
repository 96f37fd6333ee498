#!/usr/bin/env python3
"""Every operation of the API, every command and every promise of the specification has a named test.

A test says what it holds us to in a comment right above it: `covers: createSession, atoll ps, C4`. This
tool compares that with the OpenAPI document, the table of commands and SPECIFICATION.md, and writes the
names into the tables of README.md, SPECIFICATION.md and docs/tests.md.

usage: features.py [--write]
"""
import argparse
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENAPI = ROOT / "src/api/rest/openapi.yaml"
COMMANDS = (ROOT / "src/cli/core/command.cpp", ROOT / "src/cli/remote/manual.cpp")
SPECIFICATION, README, TESTS = ROOT / "SPECIFICATION.md", ROOT / "README.md", ROOT / "docs/tests.md"
BEGIN, END = "<!-- features: begin -->\n", "<!-- features: end -->\n"
CPP = re.compile(r"((?://[^\n]*\n)+)TEST(?:_F|_P)?\((\w+), (\w+)\)")
PYTHON = re.compile(r"((?: *#[^\n]*\n)+)(?: *@[^\n]*\n)* *def (test_\w+)")
COVERS = re.compile(r"covers: ([^\n]*)")
ROW = re.compile(r"^\| (C\d+) \| (.*) \| ([^|]*) \|$", re.MULTILINE)
SHOWN = 3  # names in a row of the specification


def tests():
    """(name of the test, what it covers)."""
    for path in sorted([*ROOT.glob("src/**/*_test.cpp"), *ROOT.glob("tests/**/*_test.cpp")]):
        for comment, suite, name in CPP.findall(path.read_text(encoding="utf-8")):
            yield from ((f"{suite}.{name}", word) for word in covered(comment))
    for path in sorted([*ROOT.glob("src/**/test_*.py"), *ROOT.glob("tests/**/*test*.py")]):
        for comment, name in PYTHON.findall(path.read_text(encoding="utf-8")):
            yield from ((f"{path.stem}.{name}", word) for word in covered(comment))


def covered(comment):
    for words in COVERS.findall(comment):
        yield from (word.strip() for word in words.split(",") if word.strip())


def operations():
    """From the operation's name to (tag, summary)."""
    found = {}
    for item in yaml.safe_load(OPENAPI.read_text(encoding="utf-8"))["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                found[operation["operationId"]] = (operation["tags"][0], operation["summary"])
    return found


def commands():
    """From `atoll NAME` to its summary, and none that `atoll help` knows is missing."""
    text = "".join(path.read_text(encoding="utf-8") for path in COMMANDS)
    pairs = re.findall(r'Command\{\s*\.name = "(\w+)",\s*\.summary =\s*"([^"]*)"', text)
    words = re.search(r'\.options = docs_option_table\(\),\s*\.words =\s*((?:\s*"[^"]*")+)', text).group(1)
    known = "".join(re.findall(r'"([^"]*)"', words)).split()
    if sorted(known) != sorted(name for name, _ in pairs):
        sys.exit(f"features: `atoll help` knows {known}, the tables are of {[name for name, _ in pairs]}")
    summaries = dict(pairs)
    return {"atoll " + name: summaries[name] for name in known}


def count(by_word, words):
    return len({test for word in words for test in by_word.get(word, [])})


def amount(things, word):
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def short_table(by_word, all_operations, all_commands, promises):
    tags = {}
    for name, (tag, _) in all_operations.items():
        tags.setdefault(tag, []).append(name)
    rows = [(f"API, {tag.lower()}", amount(names, "operation"), names) for tag, names in tags.items()]
    rows.append(("command line", amount(all_commands, "command"), all_commands))
    rows.append(("[SPECIFICATION.md](SPECIFICATION.md), the server", amount(promises, "promise"), promises))
    lines = ["| of | there are | with named tests |", "|---|---|---|"]
    lines += [f"| {what} | {number} | {count(by_word, words)} |" for what, number, words in rows]
    return "\n".join(lines) + "\n"


def full_table(by_word, all_operations, all_commands):
    """For every feature what it is, and its tests."""
    lines = ["| feature | what it does | tests |", "|---|---|---|"]
    summaries = {name: summary for name, (_, summary) in all_operations.items()} | all_commands
    for name, summary in summaries.items():
        names = ", ".join(f"`{test}`" for test in by_word.get(name, []))
        first = summary if summary[:2].isupper() else summary[0].lower() + summary[1:]
        lines.append(f"| `{name}` | {first} | {names} |")
    return "\n".join(lines) + "\n"


def between_marks(path, table):
    head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    return head + BEGIN + table + END + rest.partition(END)[2]


def with_tests(match, by_word):
    number, promise, _ = match.groups()
    names = by_word.get(number, [])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"| {number} | {promise} | {', '.join(f'`{name}`' for name in names[:SHOWN])}{more} |"


def main():
    parser = argparse.ArgumentParser(description="every feature has a named test")
    parser.add_argument("--write", action="store_true", help="bring the tables up to date")
    write = parser.parse_args().write
    by_word = {}
    for test, word in tests():
        by_word.setdefault(word, []).append(test)
    all_operations, all_commands = operations(), commands()
    specification = SPECIFICATION.read_text(encoding="utf-8")
    promises = {number: promise for number, promise, _ in ROW.findall(specification)}
    known = {**all_operations, **all_commands, **promises}
    problems = [f"{word} has no test: put `covers: {word}` above one" for word in known if word not in by_word]
    problems += [f"{names[0]} covers {word}, which does not exist" for word, names in by_word.items() if word not in known]

    wanted = {
        README: between_marks(README, short_table(by_word, all_operations, all_commands, promises)),
        TESTS: between_marks(TESTS, full_table(by_word, all_operations, all_commands)),
        SPECIFICATION: ROW.sub(lambda match: with_tests(match, by_word), specification),
    }
    for path, text in wanted.items():
        if path.read_text(encoding="utf-8") == text:
            continue
        if write:
            path.write_text(text, encoding="utf-8")
        else:
            problems.append(f"{path.name} is not up to date: run tools/features.py --write")
    for problem in problems:
        print(f"features: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
