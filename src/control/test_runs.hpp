// Test-driven runs: code, and cases or a test file that judge it. Nothing that the code prints,
// writes or returns decides by itself: cases are compared here, and a test file runs in a sandbox
// of its own, which reaches the code only by messages (drivers/tests). On the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/enum.hpp>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/decide.hpp"
#include "control/session_ender.hpp"
#include "control/session_maker.hpp"
#include "control/sessions.hpp"

namespace atl::control {

struct TestCase {
  std::string name;                       // empty: "case N"
  std::string input;                      // of the program, on stdin
  std::optional<std::string> expression;  // printed after the code was loaded, instead of its main
  std::string expected;                   // on stdout; white space at its end does not count
};

struct TestRequest {
  std::string code;
  std::string language;                  // empty: the template's
  std::vector<TestCase> cases;           // these, or
  std::optional<std::string> test_code;  // a file for pytest or node:test, which imports `solution`
  std::optional<double> timeout;         // seconds for all of it; absent: executions.test_timeout
  bool coverage = false;                 // lines of Python code that a test file reached
};
inline constexpr std::size_t kMaxCases = 1000;

BOOST_DEFINE_ENUM_CLASS(TestOutcome, kPassed, kFailed, kError, kSkipped, kTimedOut)

struct TestVerdict {
  std::string name;
  TestOutcome outcome = TestOutcome::kError;
  std::string message;  // why it is not kPassed
  std::uint64_t duration_ms = 0;
  std::string output;  // what was printed, shortened
};

struct TestCoverage {
  std::uint64_t lines = 0;
  std::uint64_t covered = 0;
  std::vector<std::uint64_t> missing;
};

struct TestReport {
  std::vector<TestVerdict> tests;
  std::optional<TestCoverage> coverage;
  std::uint64_t duration_ms = 0;
};

// Pure. kInvalidArgument, kInvalidValue, kTooLarge, kUnsupportedLanguage; puts in the canonical
// name of the language.
Result<void> check_test(TestRequest& request, const std::string& default_language,
                        std::chrono::seconds longest_time);
bool same_output(std::string_view printed, std::string_view expected);

class TestRuns {
 public:
  struct Parts {
    Sessions& sessions;
    SessionMaker& maker;
    SessionEnder& ender;
    Decider& decider;
    Audit& audit;
    Tenants& tenants;
  };
  TestRuns(async::Executor executor, Parts parts, std::chrono::seconds test_time,
           std::chrono::seconds longest_time)
      : parts_(parts), test_time_(test_time), longest_time_(longest_time), tasks_(executor) {}

  // kProgramNotFound: the template has no pytest, or no node.
  async::Task<Result<TestReport>> run(Caller caller, SessionId id, TestRequest request);
  async::Task<void> shut_down() { return tasks_.join(); }

 private:
  class JudgeSession;
  class Place;
  struct Running;
  async::Task<Result<void>> allow(Caller caller, const LiveSession* session,
                                  const TestRequest* request);
  async::Task<Result<void>> write_files(Running* running);
  async::Task<void> run_cases(Running* running);
  async::Task<Result<void>> run_file(Running* running);
  async::Task<Result<void>> judge_in(Running* running, SessionId judge_id);
  async::Task<void> remove_session(Caller caller, SessionId id);

  Parts parts_;
  std::chrono::seconds test_time_;
  std::chrono::seconds longest_time_;
  std::map<std::string, std::size_t> judging_;  // test files that run now, by tenant
  async::TaskGroup tasks_;
};

}  // namespace atl::control
