#include "control/test_dialogue.hpp"

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::control {

using async::Task;
using boost::json::object;
using boost::json::value;

namespace {

constexpr std::size_t kMaxTests = 10'000;
constexpr std::size_t kMostTold = 64u << 20;   // with names and messages: then it is ended
constexpr std::size_t kMaxReport = 16u << 20;  // bytes of all verdicts
constexpr std::size_t kErrorsKept = 2000;

std::string text_of(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

std::uint64_t number_of(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  if (found == nullptr || !found->is_number()) return 0;
  boost::system::error_code wrong;
  auto number = found->to_number<std::uint64_t>(wrong);
  return wrong ? 0 : number;
}

TestOutcome outcome_of(const std::string& name) {
  if (name == "passed") return TestOutcome::kPassed;
  if (name == "failed") return TestOutcome::kFailed;
  if (name == "skipped") return TestOutcome::kSkipped;
  return TestOutcome::kError;
}

TestVerdict verdict_of(const object& test) {
  return {.name = text_of(test, "name"),
          .outcome = outcome_of(text_of(test, "outcome")),
          .message = text_of(test, "message"),
          .duration_ms = number_of(test, "duration_ms"),
          .output = text_of(test, "stdout")};
}

TestCoverage coverage_of(const object& told) {
  TestCoverage coverage{
      .lines = number_of(told, "lines"), .covered = number_of(told, "covered"), .missing = {}};
  const value* missing = told.if_contains("missing");
  if (missing == nullptr || !missing->is_array()) return coverage;
  for (const value& line : missing->get_array()) {
    if (line.is_int64()) coverage.missing.push_back(static_cast<std::uint64_t>(line.get_int64()));
  }
  return coverage;
}

// What the judge has said so far.
struct Told {
  std::vector<std::string> collected;
  std::size_t bytes = 0;
  bool ended = false;
  bool late = false;    // the solution's time is over, and so is the judge's in a moment
  std::string missing;  // the program that it would need
};

void note(const object& said, Told& told, TestReport& report) {
  if (const value* test = said.if_contains("test"); test != nullptr && test->is_object()) {
    TestVerdict verdict = verdict_of(test->get_object());
    told.bytes += verdict.name.size() + verdict.message.size();
    if (told.bytes + verdict.output.size() > kMaxReport) verdict.output.clear();
    told.bytes += verdict.output.size();
    report.tests.push_back(std::move(verdict));
  }
  if (const value* names = said.if_contains("collected"); names != nullptr && names->is_array()) {
    for (const value& name : names->get_array()) {
      if (!name.is_string() || told.collected.size() > kMaxTests) continue;
      told.collected.emplace_back(name.get_string());
      told.bytes += told.collected.back().size();
    }
  }
  if (said.contains("end")) told.ended = true;
  if (const value* found = said.if_contains("coverage"); found != nullptr && found->is_object()) {
    report.coverage = coverage_of(found->get_object());
  }
  if (said.contains("missing")) told.missing = text_of(said, "missing");
}

std::string gone(const std::string& why) { return codec::serialize(object{{"gone", why}}) + "\n"; }

// The solution's answer, or why there is none.
Task<std::string> answer_of(ProgramLines* solution, std::string call, Told* told) {
  (void)co_await solution->process().write_stdin(std::move(call) + "\n");
  Result<std::optional<std::string>> line = co_await solution->next();
  if (line && *line) co_return std::move(**line) + "\n";
  (void)co_await solution->process().signal(SIGKILL);
  if (!line) co_return gone("the solution's answer cannot be taken: " + line.error().message());
  Result<sandbox::ExitStatus> status = co_await solution->process().wait();
  std::string why = "the solution's process has ended";
  if (status && status->oom) {
    why = "the solution used more memory than the sandbox has";
  } else if (status && status->timed_out) {
    told->late = true;
    why = "the solution ran out of time";
  } else if (status) {
    why += status->signal != 0 ? " by signal " + std::to_string(status->signal)
                               : " with status " + std::to_string(status->exit_code);
  }
  if (!solution->errors().empty()) why += ": " + solution->errors();
  co_return gone(why);
}

// Tests that the judge knew of and said nothing about; the end of one that said nothing at all.
void fill_up(const Told& told, const sandbox::ExitStatus& status, const std::string& errors,
             TestReport& report) {
  bool late = status.timed_out || told.late;
  TestOutcome outcome = late ? TestOutcome::kTimedOut : TestOutcome::kError;
  std::string why = late ? "timed out" : "the tests ended without a report";
  if (!late && !errors.empty()) why += ": " + errors;
  bool one = false;
  std::set<std::string> known;
  for (const TestVerdict& test : report.tests) known.insert(test.name);
  for (const std::string& name : told.collected) {
    if (!known.insert(name).second) continue;
    report.tests.push_back({.name = name, .outcome = outcome, .message = why, .output = {}});
    one = true;
  }
  if (!one && !told.ended) {
    report.tests.push_back(
        {.name = "the test file", .outcome = outcome, .message = why, .output = {}});
  }
}

}  // namespace

Task<Result<std::optional<std::string>>> ProgramLines::next() {
  for (;;) {
    if (std::size_t end = rest_.find('\n', looked_); end != std::string::npos) {
      std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      looked_ = 0;
      co_return line;
    }
    looked_ = rest_.size();
    if (rest_.size() > kLongest) co_return fail(Code::kTooLarge, "a line is longer than 8 MiB");
    if (ended_) co_return std::nullopt;
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process_->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) ended_ = true;
    if (chunk.stream == sandbox::OutputStream::kStdout) rest_ += chunk.bytes;
    if (chunk.stream == sandbox::OutputStream::kStderr) {
      errors_ += chunk.bytes;
      if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
    }
  }
}

Task<Result<void>> hold_dialogue(ProgramLines* judge, ProgramLines* solution, TestReport* report) {
  Told told;
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> line, co_await judge->next());
    if (!line || report->tests.size() > kMaxTests || told.bytes > kMostTold) break;
    auto said = codec::parse(*line, {.max_bytes = ProgramLines::kLongest + 1});
    if (!said || !said->is_object()) continue;  // something that the test file printed
    if (const value* call = said->get_object().if_contains("call")) {
      if (!call->is_string()) continue;
      std::string answer = co_await answer_of(solution, std::string(call->get_string()), &told);
      if (told.late) break;
      (void)co_await judge->process().write_stdin(std::move(answer));
      continue;
    }
    note(said->get_object(), told, *report);
  }
  (void)co_await solution->process().signal(SIGKILL);
  (void)co_await judge->process().signal(SIGKILL);
  ATOLL_CO_TRY(sandbox::ExitStatus status, co_await judge->process().wait());
  bool no_program = status.exit_code == 127 && report->tests.empty() && !told.ended;
  if (!told.missing.empty() || no_program) {
    co_return fail(Code::kProgramNotFound,
                   "the session's template has no " +
                       (told.missing.empty() ? std::string("node") : told.missing) +
                       ": add it to preinstalled_packages, or use a template that has it");
  }
  fill_up(told, status, judge->errors(), *report);
  co_return Result<void>();
}

}  // namespace atl::control
