"""How a check is registered, and what several of them use."""

import harness

CHECKS = []


def check(line, root_only="", pending=""):
    """Registers a function of the programs under a line of the checklist."""
    def add(function):
        function.line = line
        function.root_only = root_only
        function.pending = pending
        CHECKS.append(function)
        return function
    return add


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def gone(mark, seconds=harness.DEADLINE):
    """No process of the host has the marker any more."""
    left = harness.poll_until(lambda: not harness.with_marker(mark), seconds)
    expect(left, f"processes are left: {[(p, harness.read(f'/proc/{p}/cmdline')) for p in harness.with_marker(mark)]}")


def both_cores(programs):
    """An ordinary user has no cpu limit, and asking for one is an error."""
    return [] if programs.rootless else ["--cpus", "2"]
