"""Control groups, found while other tests make and remove theirs."""
import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")


def below(top):
    """Every group below top, deepest first. A group that goes away meanwhile is passed over, which
    a glob of pathlib does not do."""
    return [pathlib.Path(folder) for folder, _, _ in os.walk(top, topdown=False) if folder != str(top)]


def named(name):
    """The groups of this name, in whatever hierarchy."""
    return [group for group in below(ROOT) if group.name == name]
