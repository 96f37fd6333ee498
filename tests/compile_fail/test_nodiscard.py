#!/usr/bin/env python3
"""A dropped Result does not compile: plain or awaited, with a value or without one.

usage: test_nodiscard.py BUILD_FOLDER

Compiles a file in which some lines drop a Result, with the flags of the build: the compiler must
refuse exactly these lines. Without them the file must compile.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

PLAIN = """#include "base/result.hpp"
namespace atl {
Result<int> value();
Result<void> nothing();
void caller() {
  value();               // dropped
  nothing();             // dropped
  for (;;) nothing();    // dropped
  (void)value();
  (void)nothing();
  if (!nothing()) return;
}
Result<void> checks() {
  ATOLL_CHECK(nothing());
  ATOLL_TRY(int number, value());
  return number == 0 ? Result<void>() : nothing();
}
}
"""

AWAITED = """#include "async/task.hpp"
#include "base/result.hpp"
#include "codec/decode_error.hpp"
namespace atl {
async::Task<Result<int>> value();
async::Task<Result<void>> nothing();
codec::Decoded<int> decoded();
async::Task<Result<void>> caller() {
  co_await value();      // dropped
  co_await nothing();    // dropped
  value();               // dropped
  decoded();             // dropped
  (void)co_await value();
  ATOLL_CO_CHECK(co_await nothing());
  co_return co_await nothing();
}
}
"""


def flags_of(source):
    """The compiler and its flags for one of our files, without the file and the object."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    entry = next(e for e in commands if e["file"] == str(ROOT / source))
    words = shlex.split(entry["command"])
    while not re.search(r"clang\+\+[^/]*$", words[0]):
        words.pop(0)  # ccache
    for option in ("-o", "-c"):
        at = words.index(option)
        del words[at:at + 2]
    # A precompiled header may not be built yet; it is an extra `-Xclang -include… -Xclang FILE`.
    for at in reversed([n for n, word in enumerate(words) if word in ("-include-pch", "-include")]):
        del words[at - 1:at + 3]
    return words, entry["directory"]


class Nodiscard(unittest.TestCase):
    def compile(self, like, text):
        """The numbers of the lines that the compiler refuses, and all that it says."""
        words, folder = flags_of(like)
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "case.cpp"
            source.write_text(text)
            done = subprocess.run([*words, "-fsyntax-only", "-ferror-limit=0", str(source)],
                                  cwd=folder, capture_output=True, text=True)
        refused = {int(n) for n in re.findall(r"case\.cpp:(\d+):\d+: error: ignoring return value", done.stderr)}
        self.assertEqual(len(re.findall(r"\berror:", done.stderr)), len(refused), done.stderr)
        self.assertEqual(done.returncode == 0, not refused, done.stderr)
        return refused, done.stderr

    def check(self, like, text):
        lines = text.splitlines(keepends=True)
        dropped = {n for n, line in enumerate(lines, 1) if line.endswith("// dropped\n")}
        refused, said = self.compile(like, text)
        self.assertEqual(refused, dropped, said)
        rest = "".join(line for n, line in enumerate(lines, 1) if n not in dropped)
        refused, said = self.compile(like, rest)
        self.assertEqual(refused, set(), said)

    def test_plain_calls(self):
        self.check("src/base/ids.cpp", PLAIN)

    def test_plain_calls_in_the_static_programs(self):
        self.check("src/guest/paths.cpp", PLAIN)

    def test_awaited_calls(self):
        self.check("src/control/audit.cpp", AWAITED)


if __name__ == "__main__":
    unittest.main()
