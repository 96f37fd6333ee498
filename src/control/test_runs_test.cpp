// Test-driven runs on the fake backend: verdicts of cases and of test files, and code that tries to
// change them.
#include "control/test_runs.hpp"

#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

Task<Result<TestReport>> run(Plane* plane, TestRequest request) {
  SessionId id = co_await make_session(plane);
  co_return co_await plane->control->test_runs().run({}, id, std::move(request));
}

std::string outcomes(const Result<TestReport>& report) {
  if (!report) return report.error().to_string();
  std::string text;
  for (const TestVerdict& one : report->tests) {
    text += one.name + "=" + codec::name_of(one.outcome) + " ";
  }
  return text;
}

Task<void> cases(Plane* plane) {
  TestRequest request{.code = "n = int(input())\nprint(n * 2)", .language = "py"};
  request.cases = {{.name = "right", .input = "4\n", .expected = "8"},
                   {.input = "4", .expected = "9"},
                   {.name = "no number", .input = "x", .expected = ""}};
  auto report = co_await run(plane, std::move(request));
  EXPECT_EQ(outcomes(report), "right=passed case 2=failed no number=failed ");
  EXPECT_NE(report->tests[2].message.find("ValueError"), std::string::npos);
}

Task<void> expressions(Plane* plane) {
  TestRequest request{.code = "def add(a, b):\n  return a + b\nif __name__ == '__main__': exit(3)",
                      .language = "python"};
  request.cases = {{.name = "a", .expression = "add(1, 2)", .expected = "3"},
                   {.name = "b", .expression = "add([1], [2])", .expected = "[1, 2]"},
                   {.name = "c", .expression = "sub(1, 2)", .expected = "-1"}};
  EXPECT_EQ(outcomes(co_await run(plane, std::move(request))), "a=passed b=passed c=failed ");
  TestRequest shell{.code = "greet() { echo hi $1; }", .language = "bash"};
  shell.cases = {{.name = "a", .expression = "greet you", .expected = "hi you"}};
  EXPECT_EQ(outcomes(co_await run(plane, std::move(shell))), "a=passed ");
}

// Prints 1 GB, hangs, kills its parent and its group: each only fails itself.
Task<void> hostile_cases(Plane* plane) {
  TestRequest request{.code =
                          "import os, sys\n"
                          "what = input()\n"
                          "if what == 'flood':\n"
                          "  while True: os.write(1, b'x' * 65536)\n"
                          "if what == 'hang':\n"
                          "  import time\n"
                          "  time.sleep(1000)\n"
                          "print('ok')",
                      .language = "python"};
  request.cases = {{.name = "flood", .input = "flood", .expected = "ok"},
                   {.name = "fine", .input = "", .expected = "ok"}};
  request.cases[1].input = "nothing";
  EXPECT_EQ(outcomes(co_await run(plane, request)), "flood=failed fine=passed ");
  request.cases = {{.name = "hang", .input = "hang", .expected = "ok"}};
  request.timeout = 1;
  EXPECT_EQ(outcomes(co_await run(plane, request)), "hang=timed_out ");
}

constexpr const char* kSolution = R"(
print("loaded")
class Low(ValueError):
    pass
class Vector:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return isinstance(other, Vector) and self.x == other.x
def add(a, b):
    return a + b
def sort(numbers): numbers.sort()
def twice(function, value): return function(function(value))
def fail(): raise Low("too low")
def never():
    return 1
)";

constexpr const char* kTests = R"(
import pytest, solution
from solution import add, Low, Vector
def test_add(): assert add(1, 2) == 3
def test_sort():
    numbers = [3, 1, 2]
    solution.sort(numbers)
    assert numbers == [1, 2, 3]
def test_callback(): assert solution.twice(lambda v: v + 1, 5) == 7
def test_raises():
    with pytest.raises(Low): solution.fail()
    with pytest.raises(ValueError): solution.fail()
def test_object(): assert Vector(1) == Vector(1) and Vector(1).x == 1
def test_wrong(): assert add(1, 2) == 4
@pytest.mark.skip(reason="later")
def test_later(): pass
)";

Task<void> test_file(Plane* plane) {
  TestRequest request{.code = kSolution, .language = "python", .test_code = kTests};
  request.coverage = true;
  auto report = co_await run(plane, std::move(request));
  EXPECT_EQ(outcomes(report),
            "test_add=passed test_sort=passed test_callback=passed test_raises=passed "
            "test_object=passed test_wrong=failed test_later=skipped ");
  EXPECT_NE(report->tests[5].message.find("3 == 4"), std::string::npos) << report->tests[5].message;
  EXPECT_TRUE(report->coverage.has_value());
  if (report->coverage) {
    EXPECT_EQ(report->coverage->missing, std::vector<std::uint64_t>{14});
  }
  EXPECT_EQ(plane->control->sessions().live_count(), 1u) << "the judge's session is gone";
}

// What code can do to be told right: each is one solution of the same test, and must not pass.
constexpr const char* kHostile[] = {
    // Values that are equal to everything.
    "class Liar:\n"
    "  def __eq__(self, other): return True\n"
    "  __lt__ = __gt__ = __le__ = __ge__ = __eq__\n"
    "  def __sub__(self, other): return 0\n"
    "  def __rsub__(self, other): return 0\n"
    "  def __abs__(self): return 0\n"
    "def answer(): return Liar()",
    "class Liar(int):\n"
    "  def __eq__(self, other): return True\n"
    "def answer(): return Liar(7)",
    // Changes of pytest, and of the asserts, in its own process.
    "import builtins, sys, types\n"
    "sys.modules['pytest'] = types.ModuleType('pytest')\n"
    "builtins.AssertionError = KeyError\n"
    "def answer(): return 7",
    // An end without a result; one that looks like success.
    "import os\ndef answer(): os._exit(0)",
    "def answer(): raise SystemExit(0)",
    "def answer(): raise KeyboardInterrupt()",
    // A report of its own, on every descriptor that there is.
    "import os, json\n"
    "def answer():\n"
    "  line = json.dumps({'test': {'name': 'test_answer', 'outcome': 'passed'}}) + '\\n'\n"
    "  line += json.dumps({'end': True}) + '\\n'\n"
    "  for fd in range(64):\n"
    "    try: os.write(fd, line.encode())\n"
    "    except OSError: pass\n"
    "  return 7",
    // The test file and configuration of pytest changed beneath the judge.
    "import os\n"
    "here = os.path.dirname(os.path.abspath(__file__))\n"
    "open(here + '/test_solution.py', 'w').write('def test_answer(): pass')\n"
    "open(here + '/conftest.py', 'w').write('import os; os._exit(0)')\n"
    "open(here + '/pytest.py', 'w').write('import os; os._exit(0)')\n"
    "def answer(): return 7",
};

Task<void> hostile_files(Plane* plane) {
  const char* test = "import solution\ndef test_answer(): assert solution.answer() == 42";
  TestRequest right{.code = "def answer(): return 42", .language = "python", .test_code = test};
  EXPECT_EQ(outcomes(co_await run(plane, right)), "test_answer=passed ");
  for (const char* code : kHostile) {
    TestRequest wrong{.code = code, .language = "python", .test_code = test};
    EXPECT_EQ(outcomes(co_await run(plane, wrong)), "test_answer=failed ") << code;
  }
}

Task<void> no_end(Plane* plane) {
  TestRequest request{.code = "import time\ndef wait(): time.sleep(1000)",
                      .language = "python",
                      .test_code =
                          "import solution\ndef test_a(): pass\n"
                          "def test_b(): solution.wait()\ndef test_c(): pass"};
  request.timeout = 5;
  // On a busy machine the time may be over before a test has begun.
  auto late = co_await run(plane, request);
  EXPECT_TRUE(late && !late->tests.empty() && late->tests.back().outcome == TestOutcome::kTimedOut)
      << outcomes(late);
  request.timeout.reset();
  request.test_code = "import os\ndef test_a(): os._exit(0)";
  EXPECT_EQ(outcomes(co_await run(plane, request)), "test_a=error ");
  request.test_code = "def test_a(:";
  auto broken = co_await run(plane, request);
  EXPECT_TRUE(broken && broken->tests.size() == 1 &&
              broken->tests[0].outcome == TestOutcome::kError)
      << outcomes(broken);
}

constexpr const char* kJavascript = R"(
class Low extends RangeError {}
module.exports = {
  add: (a, b) => a + b, Low, fail() { throw new Low('low'); },
  twice: (f, v) => f(f(v)), later: async () => 4,
  liar: () => ({ valueOf: () => 3, toString: () => '3', [Symbol.toPrimitive]: () => 3 }),
  quit: () => process.exit(0),
};
)";

constexpr const char* kJavascriptTests = R"(
import test from 'node:test';
import assert from 'node:assert/strict';
import { add, Low } from './solution.js';
import solution from 'solution';
test('add', () => assert.equal(add(1, 2), 3));
test('throws', () => { assert.throws(() => solution.fail(), Low); });
test('callback', () => assert.equal(solution.twice((v) => v + 1, 5), 7));
test('later', async () => assert.equal(await solution.later(), 4));
test('wrong', () => assert.equal(add(1, 2), 4));
test('liar', () => assert.equal(solution.liar(), 3));
test('quit', () => solution.quit());
test('after', () => assert.equal(add(1, 2), 3));
)";

Task<void> node_test(Plane* plane) {
  TestRequest request{.code = kJavascript, .language = "js", .test_code = kJavascriptTests};
  EXPECT_EQ(outcomes(co_await run(plane, std::move(request))),
            "add=passed throws=passed callback=passed later=passed wrong=failed liar=failed "
            "quit=failed after=failed ");
}

Task<void> refused(Plane* plane) {
  SessionId id = co_await make_session(plane);
  TestRuns& runs = plane->control->test_runs();
  TestRequest none{.code = "1", .language = "python"};
  EXPECT_EQ((co_await runs.run({}, id, none)).error().code(), Code::kInvalidArgument);
  TestRequest compiled{.code = "x", .language = "go", .test_code = "y"};
  EXPECT_EQ((co_await runs.run({}, id, compiled)).error().code(), Code::kInvalidValue);
  TestRequest dangerous{.code = "rm -rf /", .language = "bash"};
  dangerous.cases = {{.expected = ""}};
  EXPECT_EQ((co_await runs.run({}, id, dangerous)).error().code(), Code::kDangerousCommand);
  Caller asking{.policy = {.critical = model::RiskAction::kAsk}};
  TestRequest risky{.code = "import os; os.system(input())", .language = "python"};
  risky.cases = {{.expected = ""}};
  EXPECT_EQ((co_await runs.run(asking, id, risky)).error().code(), Code::kForbidden);
  Caller stranger{.tenant = "other"};
  TestRequest fine{.code = "1", .language = "python"};
  fine.cases = {{.expected = ""}};
  EXPECT_EQ((co_await runs.run(stranger, id, fine)).error().code(), Code::kSessionNotFound);
}

TEST(TestRuns, ComparesOutputWithoutWhiteSpaceAtItsEnd) {
  EXPECT_TRUE(same_output("a\n", "a"));
  EXPECT_TRUE(same_output("", " \n"));
  EXPECT_FALSE(same_output(" a", "a"));
}

TEST(TestRuns, ComparesCases) { with_control(cases); }
TEST(TestRuns, PrintsExpressions) { with_control(expressions); }
TEST(TestRuns, KeepsHostileCasesApart) { with_control(hostile_cases); }
TEST(TestRuns, RunsATestFileWithPytest) { with_control(test_file); }
// covers: C66
TEST(TestRuns, HostileCodeCannotChangeItsVerdict) { with_control(hostile_files); }
TEST(TestRuns, HasAVerdictForTestsThatDoNotEnd) { with_control(no_end); }
TEST(TestRuns, RunsATestFileWithNode) { with_control(node_test); }
TEST(TestRuns, RefusesWhatCannotBeTested) { with_control(refused); }

}  // namespace
}  // namespace atl::control::test
