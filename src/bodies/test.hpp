// Bodies about test-driven runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/value.hpp>

#include "bodies/common.hpp"

namespace atl::bodies {

struct TestCaseBody {
  std::optional<std::string> name;
  std::optional<boost::json::value> input;  // a string as it is, anything else as JSON text
  std::optional<std::string> expression;
  std::optional<boost::json::value> expected;  // the same
};
BOOST_DESCRIBE_STRUCT(TestCaseBody, (), (name, input, expression, expected))

struct TestBody {
  std::optional<std::string> code;
  std::optional<std::string> language;
  std::optional<std::vector<TestCaseBody>> cases;
  std::optional<std::string> test_code;
  std::optional<double> timeout;
  bool coverage = false;
};
BOOST_DESCRIBE_STRUCT(TestBody, (), (code, language, cases, test_code, timeout, coverage))

BOOST_DEFINE_ENUM_CLASS(TestOutcome, kPassed, kFailed, kError, kSkipped, kTimedOut)

struct TestVerdictBody {
  std::string name;
  TestOutcome outcome = TestOutcome::kError;
  std::string message;
  std::uint64_t duration_ms = 0;
  std::string stdout_;  // NOLINT(readability-identifier-naming): a macro
};
BOOST_DESCRIBE_STRUCT(TestVerdictBody, (), (name, outcome, message, duration_ms, stdout_))

struct TestFailureBody {
  std::string name;
  TestOutcome outcome = TestOutcome::kError;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(TestFailureBody, (), (name, outcome, message))

struct TestCoverageBody {
  std::uint64_t lines = 0;
  std::uint64_t covered = 0;
  double percent = 0;
  std::vector<std::uint64_t> missing;  // numbers of lines
};
BOOST_DESCRIBE_STRUCT(TestCoverageBody, (), (lines, covered, percent, missing))

struct TestResultBody {
  std::string session_id;
  bool all_passed = false;
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;  // with errors and what ran out of time
  std::uint64_t skipped = 0;
  std::vector<TestFailureBody> failures;
  std::vector<TestVerdictBody> tests;
  std::optional<TestCoverageBody> coverage;
  std::uint64_t duration_ms = 0;
};
BOOST_DESCRIBE_STRUCT(TestResultBody, (),
                      (session_id, all_passed, passed, failed, skipped, failures, tests, coverage,
                       duration_ms))

}  // namespace atl::bodies
