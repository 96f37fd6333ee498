#include "api/opensandbox/event_stream.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "api/common/limits.hpp"
#include "async/deadline.hpp"

namespace atl::api::opensandbox {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;

constexpr std::chrono::seconds kPing{3};

std::int64_t now_ms(const Call& call) { return unix_ms(call.control().clock().wall()); }

http::Headers stream_headers() {
  return {{"Content-Type", "text/event-stream"},
          {"Cache-Control", "no-cache"},
          {"X-Accel-Buffering", "no"}};
}

// What an execution left that ended before anybody looked: all of it is in the row.
Task<Result<void>> give_kept(Call call, const model::Execution* row, EventText* events) {
  using Part = model::LargeOutput::Part;
  for (bool is_stdout : {true, false}) {
    control::SpoolKind kind = is_stdout ? control::SpoolKind::kStdout : control::SpoolKind::kStderr;
    for (std::uint64_t at = 0;;) {
      std::string bytes;
      if (row->output.large) {
        auto read = [row, is_stdout, at] {
          return row->output.large->read(is_stdout ? Part::kStdout : Part::kStderr, at, kChunk);
        };
        ATOLL_CO_TRY(bytes, co_await async::on_pool(call.shared->pool, read));
      } else {
        const std::string& all = is_stdout ? row->output.stdout_bytes : row->output.stderr_bytes;
        if (at < all.size()) bytes = all.substr(at, kChunk);
      }
      if (bytes.empty()) break;
      at += bytes.size();
      std::string out;
      events->take({0, kind, std::move(bytes)}, now_ms(call), out);
      if (!out.empty()) ATOLL_CO_CHECK(co_await call.exchange->write(out));
    }
  }
  co_return Result<void>();
}

// An Error is a client that went away.
Task<Result<void>> follow(Call call, ExecutionFeed* feed, std::string id, EventText::Form form) {
  EventText events(form);
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, stream_headers()));
  std::string out = EventText::init(id, now_ms(call));
  ATOLL_CO_CHECK(co_await call.exchange->write(out));
  if (!feed->live()) ATOLL_CO_CHECK(co_await give_kept(call, &feed->row(), &events));
  while (feed->live()) {
    out.clear();
    Result<std::optional<const SpoolEvent*>> event = co_await async::with_deadline(
        feed->next(), async::deadline_in(kPing), Code::kTransferTimeout, "nothing to say");
    if (!event) {
      out = EventText::ping(now_ms(call));
    } else if (*event) {
      events.take(***event, now_ms(call), out);
    } else {
      break;
    }
    if (!out.empty()) ATOLL_CO_CHECK(co_await call.exchange->write(out));
  }
  out.clear();
  events.finish(feed->row(), now_ms(call), out);
  ATOLL_CO_CHECK(co_await call.exchange->write(out));
  // At once: their clients read to the end of the body.
  co_return co_await call.exchange->finish();
}

Task<Result<void>> say_begun(Call call, std::string id) {
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, stream_headers()));
  std::string out = EventText::init(id, now_ms(call));
  out += EventText::complete(0, now_ms(call));
  ATOLL_CO_CHECK(co_await call.exchange->write(out));
  co_return co_await call.exchange->finish();
}

}  // namespace

Task<Answer<void>> run_and_stream(Call call, control::ExecuteRequest request, EventText::Form form,
                                  bool background) {
  control::Executions& executions = call.control().executions();
  if (background) {
    ATOLL_CO_TRY(control::Executions::Executed begun,
                 co_await executions.execute(call.caller, call.session_id(), std::move(request),
                                             std::nullopt));
    (void)co_await say_begun(call, begun.value.id.str());
    co_return Answer<void>();
  }
  // Heard of on this connection alone, so it is not stored before it runs for long.
  ATOLL_CO_TRY(ExecutionId id,
               co_await executions.begin(call.caller, call.session_id(), std::move(request)));
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed, co_await executions.follow(call.caller, id, 0));
  Result<void> followed = co_await follow(call, feed.get(), id.str(), form);
  if (!followed && !model::is_final(feed->row().state)) {
    // Nobody waits for it any more: what is to go on is started in the background.
    (void)co_await executions.cancel(call.caller, feed->row().id);
  }
  co_return Answer<void>();
}

Task<Answer<model::Execution>> find_execution(Call call, std::string id) {
  if (id.empty() || id.size() > kMaxName) {
    co_return refuse(400, "missing_query", "the parameter `id` is required");
  }
  ATOLL_CO_TRY(model::Execution row,
               co_await call.control().executions().get(call.caller, ExecutionId(id)));
  if (row.session_id != call.session_id()) {
    co_return refuse(Code::kNotFound, "there is no command " + id);
  }
  co_return row;
}

Answer<double> seconds_of(const std::optional<std::int64_t>& milliseconds) {
  if (!milliseconds || *milliseconds == 0) return 0.0;
  constexpr std::int64_t kMost = static_cast<std::int64_t>(kMaxSeconds) * 1000;
  if (*milliseconds < 0 || *milliseconds > kMost) {
    return refuse_value("/timeout", "must be a number of milliseconds");
  }
  return static_cast<double>(*milliseconds) / 1000;
}

}  // namespace atl::api::opensandbox
