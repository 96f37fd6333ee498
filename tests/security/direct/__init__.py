"""Checks that are no single attack: what the host sees while a sandbox runs and after it ended. One file a topic."""

from direct import ends, host, limits, output, places, shipped  # noqa: F401  each registers its checks
from direct.common import CHECKS

CHECKS.sort(key=lambda one: one.line)
