import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;
import java.util.List;

/** Tests first: they fail, the code is mended, they pass. */
public class TestDrivenFix {
  private static final String TESTS = """
      import unittest
      from leap import is_leap

      class Leap(unittest.TestCase):
          def test_years(self):
              self.assertEqual([year for year in (1900, 2000, 2023, 2024) if is_leap(year)], [2000, 2024])

      unittest.main()
      """;
  private static final List<String> ATTEMPTS = List.of(
      "def is_leap(year): return year % 4 == 0\n",
      "def is_leap(year): return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n");

  public static void main(String[] words) {
    try (Sandbox sandbox = Atoll.connect().create()) {
      sandbox.files().write("test_leap.py", TESTS);
      for (String code : ATTEMPTS) {
        sandbox.files().write("leap.py", code);
        var tested = sandbox.run(Work.command("python3", "test_leap.py"));
        if (tested.success()) {
          System.out.println("passed");
        }
        tested.stderr().lines().filter(line -> line.startsWith("AssertionError")).forEach(line -> System.out.println("failed: " + line));
      }
    }
  }
}
