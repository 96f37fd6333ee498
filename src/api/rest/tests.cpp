// POST /sessions/{id}/test: code, and cases or a test file that judge it.
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "base/utf8.hpp"
#include "bodies/test.hpp"
#include "control/test_runs.hpp"

namespace atl::api::rest {

namespace {

using control::TestOutcome;

std::string text_of(const boost::json::value& value) {
  if (const auto* text = value.if_string()) return {text->data(), text->size()};
  return codec::serialize(value);
}

Answer<control::TestCase> to_case(bodies::TestCaseBody body, const std::string& at) {
  if (!body.expected) return refuse_field(at + "/expected", "is required");
  ATOLL_CHECK(check_text(body.name, at + "/name", kMaxName));
  return control::TestCase{.name = body.name.value_or(""),
                           .input = body.input ? text_of(*body.input) : "",
                           .expression = std::move(body.expression),
                           .expected = text_of(*body.expected)};
}

Answer<control::TestRequest> to_request(bodies::TestBody body) {
  if (!body.code) return refuse_field("/code", "is required");
  ATOLL_CHECK(check_text(body.code, "/code", kMaxCode));
  ATOLL_CHECK(check_text(body.language, "/language", kMaxName));
  ATOLL_CHECK(check_text(body.test_code, "/test_code", kMaxCode));
  if (!body.cases && !body.test_code) return refuse_field("/cases", "or test_code is required");
  if (body.cases && body.test_code) {
    return refuse_field("/test_code", "is mutually exclusive with `cases`");
  }
  if (body.cases && body.cases->empty()) return refuse_value("/cases", "must not be empty");
  control::TestRequest request{.code = std::move(*body.code),
                               .language = body.language.value_or(""),
                               .cases = {},
                               .test_code = std::move(body.test_code),
                               .timeout = body.timeout,
                               .coverage = body.coverage};
  for (std::size_t i = 0; body.cases && i < body.cases->size(); ++i) {
    ATOLL_TRY(control::TestCase one,
              to_case(std::move((*body.cases)[i]), "/cases/" + std::to_string(i)));
    request.cases.push_back(std::move(one));
  }
  return request;
}

bodies::TestOutcome outcome_view(TestOutcome outcome) {
  switch (outcome) {
    case TestOutcome::kPassed: return bodies::TestOutcome::kPassed;
    case TestOutcome::kFailed: return bodies::TestOutcome::kFailed;
    case TestOutcome::kError: return bodies::TestOutcome::kError;
    case TestOutcome::kSkipped: return bodies::TestOutcome::kSkipped;
    case TestOutcome::kTimedOut: return bodies::TestOutcome::kTimedOut;
  }
  return bodies::TestOutcome::kError;
}

bodies::TestResultBody report_view(const Call& call, const control::TestReport& report) {
  bodies::TestResultBody body{.session_id = call.session_id().str(),
                              .failures = {},
                              .tests = {},
                              .coverage = {},
                              .duration_ms = report.duration_ms};
  for (const control::TestVerdict& verdict : report.tests) {
    bodies::TestVerdictBody one{.name = to_utf8(verdict.name),
                                .outcome = outcome_view(verdict.outcome),
                                .message = to_utf8(verdict.message),
                                .duration_ms = verdict.duration_ms,
                                .stdout_ = to_utf8(verdict.output)};
    if (verdict.outcome == TestOutcome::kPassed) {
      ++body.passed;
    } else if (verdict.outcome == TestOutcome::kSkipped) {
      ++body.skipped;
    } else {
      ++body.failed;
      body.failures.push_back({.name = one.name, .outcome = one.outcome, .message = one.message});
    }
    body.tests.push_back(std::move(one));
  }
  body.all_passed = body.passed > 0 && body.failed == 0;
  if (report.coverage) {
    const control::TestCoverage& found = *report.coverage;
    double share = found.lines == 0
                       ? 1
                       : static_cast<double>(found.covered) / static_cast<double>(found.lines);
    body.coverage = {.lines = found.lines,
                     .covered = found.covered,
                     .percent = share * 100,
                     .missing = found.missing};
  }
  return body;
}

Task<Answer<http::Response>> run_tests(Call call) {
  ATOLL_CO_TRY(bodies::TestBody body, co_await read_json<bodies::TestBody>(call));
  ATOLL_CO_TRY(control::TestRequest request, to_request(std::move(body)));
  ATOLL_CO_TRY(control::TestReport report, co_await call.control().test_runs().run(
                                               call.caller, call.session_id(), std::move(request)));
  co_return json_response(200, report_view(call, report));
}

}  // namespace

void add_tests(Routes& routes) {
  routes.add(http::Method::kPost, "/sessions/{id}/test", "testCode", Access::kWriter, run_tests);
}

}  // namespace atl::api::rest
