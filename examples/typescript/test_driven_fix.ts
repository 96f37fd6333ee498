// Tests first: they fail, the code is mended, they pass.
import { Sandbox } from "@atoll/sdk";

await using sandbox = await Sandbox.create();
await sandbox.files.write("test_leap.py", `
import unittest
from leap import is_leap

class Leap(unittest.TestCase):
    def test_years(self):
        self.assertEqual([year for year in (1900, 2000, 2023, 2024) if is_leap(year)], [2000, 2024])

unittest.main()
`);

const attempts = [
  "def is_leap(year): return year % 4 == 0\n",
  "def is_leap(year): return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n",
];
for (const code of attempts) {
  await sandbox.files.write("leap.py", code);
  const tested = await sandbox.exec(["python3", "test_leap.py"]);
  console.log(tested.success ? "passed" : `failed: ${tested.stderr.split("\n").find((line) => line.startsWith("AssertionError"))}`);
}
