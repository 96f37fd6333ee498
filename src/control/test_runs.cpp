#include "control/test_runs.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include "base/rollback.hpp"
#include "control/execute_check.hpp"
#include "control/session_environment.hpp"
#include "control/test_dialogue.hpp"
#include "drivers/languages.hpp"
#include "drivers/scripts.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kOutputKept = 64u << 10;
constexpr std::size_t kOutputMost = 16u << 20;  // of one case; more is no answer
constexpr std::chrono::seconds kMargin{60};     // that the judge's session outlives the tests
constexpr std::size_t kMaxInput = 8u << 20;
constexpr std::size_t kJudgesAtOnce = 8;  // of one tenant: their sandboxes count in no quota

bool is_module(std::string_view code) {
  for (std::string_view word : {"import ", "import{", "export "}) {
    if (code.starts_with(word) || code.find("\n" + std::string(word)) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// The name of the code's file, and of the file that tests it.
std::string suffix_of(const std::string& language, std::string_view code) {
  if (language == "javascript") return is_module(code) ? ".mjs" : ".js";
  Result<const drivers::Language*> known = drivers::find_language(language);
  std::string_view suffixes = known ? (*known)->suffixes : "";
  return std::string(suffixes.substr(0, suffixes.find(' ')));
}

std::uint64_t milliseconds_since(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count());
}

// Whatever it printed last, for somebody who reads why a case failed.
std::string shortened(std::string text, std::size_t most = 200) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  text.resize(most);
  return text + "…";
}

std::vector<std::string> expression_command(const std::string& language, const std::string& file,
                                            const std::string& expression) {
  if (language == "python") {
    return {"python3", "-c",
            "import runpy,sys\nprint(eval(sys.argv[2], runpy.run_path(sys.argv[1])))", file,
            expression};
  }
  if (language == "javascript") {
    return {"node", "-e",
            "import(require('node:url').pathToFileURL(process.argv[1])).then(async (m) => {"
            "const s = {...m.default, ...m};"
            "console.log(await new Function(...Object.keys(s), 'return (' + process.argv[2] + "
            "')')(...Object.values(s)))})",
            file, expression};
  }
  return {"bash", "-c", ". \"$1\"; eval \"$2\"", "bash", file, expression};
}

}  // namespace

// Ends with the tests, also when nobody waits for them any more.
class TestRuns::JudgeSession {
 public:
  JudgeSession(TestRuns* owner, Caller caller, SessionId id)
      : owner_(owner), caller_(std::move(caller)), id_(std::move(id)) {}
  JudgeSession(const JudgeSession&) = delete;
  JudgeSession& operator=(const JudgeSession&) = delete;
  ~JudgeSession() {
    if (!ended_) owner_->tasks_.spawn(owner_->remove_session(caller_, id_));
  }
  Task<void> end() {
    ended_ = true;
    return owner_->remove_session(caller_, id_);
  }
  const SessionId& id() const { return id_; }

 private:
  TestRuns* owner_;
  Caller caller_;
  SessionId id_;
  bool ended_ = false;
};

// An execution of its tenant, as long as it lives.
class TestRuns::Place {
 public:
  Place(Tenants& tenants, std::string tenant) : tenants_(tenants), tenant_(std::move(tenant)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { tenants_.give_execution(tenant_); }

 private:
  Tenants& tenants_;
  std::string tenant_;
};

struct TestRuns::Running {
  Caller caller;
  Use use;
  TestRequest request;
  Clock::time_point end;
  std::string file = {};  // of the code, in the session
  TestReport report = {};

  // At least a moment: 0 would be none.
  std::chrono::milliseconds left() const {
    auto time = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    return std::max(time, std::chrono::milliseconds(1));
  }
  std::string folder() const { return use.sandbox().workspace() + "/code"; }
};

Result<void> check_test(TestRequest& request, const std::string& default_language,
                        std::chrono::seconds longest_time) {
  if (request.cases.empty() == !request.test_code) {
    return fail(Code::kInvalidArgument, "give either cases or test_code");
  }
  if (request.cases.size() > kMaxCases) {
    return fail(Code::kTooLarge, "there may be at most " + std::to_string(kMaxCases) + " cases");
  }
  // One rule for what a language, a text and a time may be.
  ExecuteRequest code{.code = std::move(request.code), .language = request.language};
  code.timeout = request.timeout;
  Result<void> checked = check_request(code, default_language, longest_time);
  request.code = std::move(*code.code);
  ATOLL_CHECK(checked);
  request.language = code.language;
  bool has_runner = request.language == "python" || request.language == "javascript";
  if (request.test_code && !has_runner) {
    return fail(Code::kInvalidValue,
                "test_code is for python (pytest) and javascript (node:test); "
                "give cases for " +
                    request.language);
  }
  if (request.coverage && (request.language != "python" || !request.test_code)) {
    return fail(Code::kInvalidValue, "coverage is measured for a test_code in python");
  }
  if (request.test_code && request.test_code->size() > kMaxCode) {
    return fail(Code::kTooLarge, "test_code is longer than 8 MiB");
  }
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    TestCase& one = request.cases[i];
    if (one.name.empty()) one.name = "case " + std::to_string(i + 1);
    if (one.input.size() > kMaxInput || one.expected.size() > kMaxInput) {
      return fail(Code::kTooLarge, "the input or the expected output of " + one.name.substr(0, 80) +
                                       " is longer than 8 MiB");
    }
    if (!one.expression) continue;
    if (!has_runner && request.language != "bash") {
      return fail(Code::kInvalidValue, "an expression is for python, javascript and bash");
    }
    if (one.expression->size() > kMaxCommand / 2 ||
        one.expression->find('\0') != std::string::npos) {
      return fail(Code::kInvalidValue, "an expression is at most 48 KiB without NUL bytes");
    }
  }
  return {};
}

bool same_output(std::string_view printed, std::string_view expected) {
  auto trimmed = [](std::string_view text) {
    std::size_t end = text.find_last_not_of(" \t\r\n");
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  };
  return trimmed(printed) == trimmed(expected);
}

// A test run answers its request, so nobody can be asked meanwhile: what the policy asks for is
// refused.
Task<Result<void>> TestRuns::allow(Caller caller, const LiveSession* session,
                                   const TestRequest* request) {
  std::vector<std::string> texts{request->code};
  if (request->test_code) texts.push_back(*request->test_code);
  for (const TestCase& one : request->cases) {
    if (one.expression) texts.push_back(*one.expression);
  }
  for (std::string& text : texts) {
    ExecuteRequest judged{.code = std::move(text), .language = request->language};
    Result<Decision> decided = co_await parts_.decider.decide(
        caller, &judged, session->origin->spec.policy.value_or(model::RiskPolicy()));
    bool asks = decided && decided->action == model::RiskAction::kAsk;
    if (decided && !asks) continue;
    Error refusal = asks ? Error(Code::kForbidden,
                                 "the policy asks a person about this code, and a test run cannot "
                                 "wait: have it approved as an execution")
                         : decided.error();
    parts_.audit.soon(audit_row(caller, {.action = model::AuditAction::kExecutionRefused,
                                         .session_id = session->row.id,
                                         .detail = "test " + request->language,
                                         .outcome = std::string(code_name(refusal.code()))}));
    co_return fail(std::move(refusal));
  }
  co_return Result<void>();
}

Task<Result<void>> TestRuns::write_files(Running* running) {
  sandbox::Sandbox& sandbox = running->use.sandbox();
  TestRequest& request = running->request;
  std::string folder = running->folder();
  ATOLL_CO_CHECK(co_await sandbox.make_dir(folder, 0755, true));
  running->file = folder + "/solution" + suffix_of(request.language, request.code);
  ATOLL_CO_CHECK(co_await sandbox.put_text(running->file, request.code));
  if (!request.test_code) co_return Result<void>();
  std::string test = folder + "/test_solution" + suffix_of(request.language, *request.test_code);
  co_return co_await sandbox.put_text(std::move(test), *request.test_code);
}

namespace {

Task<Result<TestVerdict>> run_case(sandbox::Sandbox* sandbox, sandbox::ExecRequest exec,
                                   const TestCase* one) {
  TestVerdict verdict{.name = one->name, .message = {}, .output = {}};
  Clock::time_point begin = Clock::now();
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Process> process, co_await sandbox->spawn(std::move(exec)));
  std::string errors;
  std::string output;
  bool too_much = false;
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) break;
    bool is_stdout = chunk.stream == sandbox::OutputStream::kStdout;
    std::string& kept = is_stdout ? output : errors;
    if (kept.size() + chunk.bytes.size() <= kOutputMost) {
      kept += chunk.bytes;
    } else if (!std::exchange(too_much, true)) {
      (void)co_await process->signal(SIGKILL);
    }
  }
  ATOLL_CO_TRY(sandbox::ExitStatus status, co_await process->wait());
  verdict.duration_ms = milliseconds_since(begin);
  if (too_much) {
    verdict.outcome = TestOutcome::kFailed;
    verdict.message = "it printed more than 16 MiB";
  } else if (status.timed_out) {
    verdict.outcome = TestOutcome::kTimedOut;
    verdict.message = "timed out";
  } else if (status.exit_code != 0 || status.signal != 0) {
    verdict.outcome = TestOutcome::kFailed;
    std::string last = errors.size() > 2000 ? errors.substr(errors.size() - 2000) : errors;
    verdict.message = (status.signal != 0 ? "signal " + std::to_string(status.signal)
                                          : "exit status " + std::to_string(status.exit_code)) +
                      (last.empty() ? "" : ": " + last);
  } else if (!same_output(output, one->expected)) {
    verdict.outcome = TestOutcome::kFailed;
    verdict.message =
        "expected \"" + shortened(one->expected) + "\", got \"" + shortened(output) + "\"";
  } else {
    verdict.outcome = TestOutcome::kPassed;
  }
  verdict.output = shortened(std::move(output), kOutputKept);
  co_return verdict;
}

}  // namespace

Task<void> TestRuns::run_cases(Running* running) {
  Result<const drivers::Language*> language = drivers::find_language(running->request.language);
  for (const TestCase& one : running->request.cases) {
    sandbox::ExecRequest exec;
    exec.argv = one.expression
                    ? expression_command(running->request.language, running->file, *one.expression)
                    : drivers::file_command(**language, running->file, {});
    exec.env = environment_of(running->use.session().row);
    exec.cwd = running->folder();
    exec.stdin_data = one.input;
    exec.timeout = running->left();
    Result<TestVerdict> verdict = co_await run_case(&running->use.sandbox(), std::move(exec), &one);
    if (!verdict) {
      verdict = TestVerdict{.name = one.name,
                            .outcome = TestOutcome::kError,
                            .message = verdict.error().message(),
                            .output = {}};
    }
    running->report.tests.push_back(std::move(*verdict));
  }
}

Task<Result<void>> TestRuns::run_file(Running* running) {
  std::string tenant = running->caller.tenant;
  if (judging_[tenant] >= kJudgesAtOnce) {
    co_return fail(Code::kResourceExhausted,
                   "too many test files of this tenant run at once; try again later");
  }
  ++judging_[tenant];
  Rollback over;
  over.add([this, tenant] {
    if (--judging_[tenant] == 0) judging_.erase(tenant);
  });
  CreateRequest wish;
  wish.template_id = running->use.session().row.template_id;
  wish.config.timeout_seconds = static_cast<std::uint64_t>(running->left().count() / 1000 + 1) +
                                static_cast<std::uint64_t>(kMargin.count());
  wish.config.capped = true;
  wish.one_shot = wish.stored_late = wish.apart = true;
  ATOLL_CO_TRY(SessionMaker::Begun begun,
               co_await parts_.maker.begin_one(running->caller, std::move(wish)));
  JudgeSession judge_session(this, running->caller, begun.session->row.id);
  Result<void> judged = co_await judge_in(running, judge_session.id());
  co_await judge_session.end();
  co_return judged;
}

Task<Result<void>> TestRuns::judge_in(Running* running, SessionId judge_id) {
  TestRequest& request = running->request;
  bool python = request.language == "python";
  ATOLL_CO_TRY(Use judge_use, co_await parts_.sessions.use(running->caller, std::move(judge_id)));
  sandbox::Sandbox& judge_box = judge_use.sandbox();
  std::string id = ExecutionId::make().str();
  std::string folder = "/tmp/atoll-judge-" + id;
  ATOLL_CO_CHECK(co_await judge_box.make_dir(folder + "/tests", 0755, true));
  std::string test_file =
      folder + "/tests/test_solution" + suffix_of(request.language, *request.test_code);
  ATOLL_CO_CHECK(co_await judge_box.put_text(test_file, std::move(*request.test_code)));
  std::string wire(python ? drivers::python_wire() : drivers::javascript_wire());
  std::string judge_text(python ? drivers::python_judge() : drivers::javascript_judge());
  std::string judge_file = folder + (python ? "/judge.py" : "/judge.cjs");
  ATOLL_CO_CHECK(co_await judge_box.put_text(judge_file, wire + judge_text));
  sandbox::ExecRequest ask;
  if (python) {
    ask.argv = {"python3", judge_file, test_file};
    if (request.coverage) ask.argv.emplace_back("coverage");
  } else {
    std::string reporter = folder + "/reporter.mjs";
    ATOLL_CO_CHECK(
        co_await judge_box.put_text(reporter, std::string(drivers::javascript_reporter())));
    ask.argv = {"node", "--no-warnings", "--test-reporter=" + reporter, judge_file, test_file};
  }
  ask.env = environment_of(judge_use.session().row);
  ask.cwd = folder + "/tests";
  ask.stdin_open = true;
  ask.timeout = running->left();

  // What judges is not in here: the solution's own process carries out calls, and nothing else.
  sandbox::Sandbox& box = running->use.sandbox();
  std::string driver = "/tmp/atoll-solution-" + id + (python ? ".py" : ".cjs");
  std::string solution_text(python ? drivers::python_solution() : drivers::javascript_solution());
  ATOLL_CO_CHECK(co_await box.put_text(driver, wire + solution_text));
  sandbox::ExecRequest carry_out;
  carry_out.argv = {python ? "python3" : "node", driver, running->file};
  if (request.coverage) carry_out.argv.emplace_back("coverage");
  carry_out.env = environment_of(running->use.session().row);
  carry_out.cwd = running->folder();
  carry_out.stdin_open = true;
  carry_out.timeout = running->left();
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Process> solution_process,
               co_await box.spawn(std::move(carry_out)));
  ProgramLines solution(std::move(solution_process));
  Result<std::unique_ptr<sandbox::Process>> judge_process =
      co_await judge_box.spawn(std::move(ask));
  if (!judge_process) {
    (void)co_await solution.process().signal(SIGKILL);
    co_return fail(std::move(judge_process.error()));
  }
  ProgramLines judge(std::move(*judge_process));
  Result<void> held = co_await hold_dialogue(&judge, &solution, &running->report);
  (void)co_await box.remove(std::move(driver), false);
  co_return held;
}

Task<Result<TestReport>> TestRuns::run(Caller caller, SessionId id, TestRequest request) {
  Clock::time_point begin = Clock::now();
  ATOLL_CO_TRY(Use use, co_await parts_.sessions.use(caller, id));
  ATOLL_CO_CHECK(check_test(request, use.session().origin->spec.language, longest_time_));
  ATOLL_CO_CHECK(co_await allow(caller, &use.session(), &request));
  ATOLL_CO_CHECK(parts_.tenants.take_execution(caller.tenant));
  Place place(parts_.tenants, caller.tenant);
  ATOLL_CO_CHECK(co_await parts_.audit.record(audit_row(
      caller,
      {.action = model::AuditAction::kTestStarted, .session_id = id, .detail = request.language})));
  double seconds = request.timeout.value_or(static_cast<double>(test_time_.count()));
  if (seconds == 0) seconds = static_cast<double>(longest_time_.count());
  auto time = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
  Running running{.caller = std::move(caller),
                  .use = std::move(use),
                  .request = std::move(request),
                  .end = begin + time};
  ATOLL_CO_CHECK(co_await write_files(&running));
  if (running.request.test_code) {
    ATOLL_CO_CHECK(co_await run_file(&running));
  } else {
    co_await run_cases(&running);
  }
  running.report.duration_ms = milliseconds_since(begin);
  co_return std::move(running.report);
}

Task<void> TestRuns::remove_session(Caller caller, SessionId id) {
  Result<void> removed = co_await parts_.ender.remove(std::move(caller), id);
  if (!removed) log::warn("run_cleanup_failed", log::kv("session_id", id.str()));
}

}  // namespace atl::control
