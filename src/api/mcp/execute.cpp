#include "api/mcp/execute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "async/deadline.hpp"
#include "base/utf8.hpp"

namespace atl::api::mcp {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;
using std::chrono::steady_clock;

// What is over by then is told at once, and costs one write to the store.
constexpr std::chrono::milliseconds kShort{200};
constexpr std::chrono::seconds kBeat{1};  // between progress notifications
constexpr std::size_t kLineShown = 200;

// The last line that was printed, as far as it has come.
class LastLine {
 public:
  void add(std::string_view bytes) {
    while (bytes.ends_with('\n')) bytes.remove_suffix(1);
    if (bytes.empty()) return;
    std::size_t start = bytes.rfind('\n');
    line_ = bytes.substr(start == bytes.npos ? 0 : start + 1).substr(0, kLineShown);
  }
  std::string text() const { return to_utf8(line_); }

 private:
  std::string line_;
};

// Until it has ended. Reading along also keeps a program from being held up.
Task<Result<void>> follow(CallPtr call, ExecutionId id, double seconds) {
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed,
               co_await call->control().executions().follow(call->caller, id, 0));
  steady_clock::time_point begun = steady_clock::now();
  steady_clock::time_point next = begun + kBeat;
  LastLine line;
  while (feed->live()) {
    Result<std::optional<const SpoolEvent*>> event = co_await async::with_deadline(
        feed->next(), next, Code::kTransferTimeout, "nothing printed");
    if (event && !*event) break;
    if (event) {
      using control::SpoolKind;
      const SpoolEvent& one = ***event;
      if (one.kind == SpoolKind::kStdout || one.kind == SpoolKind::kStderr) line.add(one.data);
    } else if (event.error().code() != Code::kTransferTimeout) {
      co_return fail(event.error());
    }
    if (steady_clock::now() < next) continue;
    next = steady_clock::now() + kBeat;
    std::chrono::duration<double> passed = steady_clock::now() - begun;
    Result<model::Execution> now = co_await call->control().executions().get(call->caller, id);
    if (now && now->state == model::ExecutionState::kAwaitingApproval) {
      line.add("waiting for the approval of a person");
    }
    call->report_progress(passed.count(), seconds > 0 ? std::optional(seconds) : std::nullopt,
                          line.text());
  }
  co_return Result<void>();
}

}  // namespace

Answer<double> timeout_or(const Call& call, std::optional<double> given,
                          std::chrono::seconds absent) {
  if (!given) return static_cast<double>(absent.count());
  auto most = static_cast<double>(call.control().executions().limits().longest_time.count());
  if (std::isfinite(*given) && *given > 0 && *given <= most) return *given;
  return refuse_value("/timeout", "must be more than 0 and at most " +
                                      std::to_string(static_cast<std::uint64_t>(most)) +
                                      " seconds");
}

Task<Answer<model::Execution>> execute_and_wait(CallPtr call, SessionId session,
                                                control::ExecuteRequest request, double seconds) {
  request.timeout = seconds;
  control::Executions& executions = call->control().executions();
  if (call->over()) co_return refuse(Code::kCancelled, "the call was cancelled");
  ATOLL_CO_TRY(control::Executions::Executed executed,
               co_await executions.execute(call->caller, std::move(session), std::move(request),
                                           async::deadline_in(kShort)));
  if (executed.state == model::MadeState::kDone) co_return std::move(executed.value);
  ExecutionId id = executed.value.id;
  call->execution = id;
  call->changed.notify_all();  // it can be cancelled now
  ATOLL_CO_CHECK(co_await follow(call, id, seconds));
  ATOLL_CO_TRY(model::Execution row, co_await executions.get(call->caller, id));
  co_return row;
}

}  // namespace atl::api::mcp
