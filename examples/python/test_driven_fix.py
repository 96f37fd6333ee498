"""Tests first: they fail, the code is mended, they pass. The model is a script; a real one is told what failed."""

from typing import Iterator

from atoll import Sandbox

TESTS = """
import unittest
from leap import is_leap

class Leap(unittest.TestCase):
    def test_years(self):
        self.assertEqual([year for year in (1900, 2000, 2023, 2024) if is_leap(year)], [2000, 2024])

unittest.main()
"""


def model() -> Iterator[str]:
    """What it writes, attempt by attempt."""
    yield "def is_leap(year): return year % 4 == 0\n"
    yield "def is_leap(year): return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n"


with Sandbox.create() as box:
    box.files.write("test_leap.py", TESTS)
    for code in model():
        box.files.write("leap.py", code)
        tested = box.command(["python3", "test_leap.py"])
        if tested.success:
            print("passed")
            break
        reason = next(line for line in tested.stderr.splitlines() if line.startswith("AssertionError"))
        print(f"failed: {reason}")
