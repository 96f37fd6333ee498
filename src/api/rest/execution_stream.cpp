#include "api/rest/execution_stream.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "api/common/limits.hpp"
#include "async/deadline.hpp"
#include "http/sse.hpp"

namespace atl::api::rest {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;

Task<Result<void>> send_all(http::SseWriter* writer, std::vector<http::SseEvent>* events) {
  for (const http::SseEvent& event : *events) writer->add(event);
  events->clear();
  co_return co_await writer->flush();
}

Task<Result<void>> follow(http::Exchange* exchange, ExecutionFeed* feed,
                          std::optional<StreamPosition> after, bool and_finish) {
  StreamPosition from = after.value_or(StreamPosition());
  from.number = feed->position();
  http::SseWriter writer(*exchange);
  ExecutionEvents events(std::move(from));
  std::vector<http::SseEvent> pending;
  if (!after) pending.push_back(events.init(feed->row()));
  ATOLL_CO_CHECK(co_await writer.begin());
  ATOLL_CO_CHECK(co_await send_all(&writer, &pending));
  for (;;) {
    Result<std::optional<const SpoolEvent*>> event = co_await async::with_deadline(
        feed->next(), async::deadline_in(kKeepAlive), Code::kTransferTimeout, "nothing to say");
    if (!event) {
      ATOLL_CO_CHECK(co_await writer.comment());
      continue;
    }
    if (!*event) break;
    events.take(***event, pending);
    ATOLL_CO_CHECK(co_await send_all(&writer, &pending));
  }
  events.finish(feed->row(), pending);
  ATOLL_CO_CHECK(co_await send_all(&writer, &pending));
  if (!and_finish) co_return Result<void>();
  co_return co_await writer.finish();
}

Result<std::string> kept_bytes(const model::Output& output, bool is_stdout, std::uint64_t offset) {
  using Part = model::LargeOutput::Part;
  if (output.large) {
    return output.large->read(is_stdout ? Part::kStdout : Part::kStderr, offset, kChunk);
  }
  const std::string& bytes = is_stdout ? output.stdout_bytes : output.stderr_bytes;
  return offset < bytes.size() ? bytes.substr(offset, kChunk) : std::string();
}

Task<Result<void>> give_again(http::Exchange* exchange, async::Pool* pool,
                              const model::Execution* execution,
                              std::optional<StreamPosition> after, bool and_finish) {
  http::SseWriter writer(*exchange);
  ExecutionEvents events(after.value_or(StreamPosition()));
  std::vector<http::SseEvent> pending;
  if (!after) pending.push_back(events.init(*execution));
  ATOLL_CO_CHECK(co_await writer.begin());
  auto more = [&](bool is_stdout, std::uint64_t offset) {
    return kept_bytes(execution->output, is_stdout, offset);
  };
  for (;;) {
    ATOLL_CO_TRY(bool any, co_await async::on_pool(
                               *pool, [&] { return events.replay(*execution, more, pending); }));
    if (!any) break;
    ATOLL_CO_CHECK(co_await send_all(&writer, &pending));
  }
  events.finish(*execution, pending);
  ATOLL_CO_CHECK(co_await send_all(&writer, &pending));
  if (!and_finish) co_return Result<void>();
  co_return co_await writer.finish();
}

}  // namespace

// An Error of what it calls was a client that went away.
Task<Answer<void>> stream_by_id(Call call, ExecutionId id, std::optional<StreamPosition> after,
                                bool and_finish) {
  std::uint64_t number = after ? after->number : 0;
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed,
               co_await call.control().executions().follow(call.caller, std::move(id), number));
  if (feed->live()) {
    (void)co_await follow(call.exchange, feed.get(), std::move(after), and_finish);
  } else {
    (void)co_await give_again(call.exchange, &call.rest->pool, &feed->row(), std::move(after),
                              and_finish);
  }
  co_return Answer<void>();
}

}  // namespace atl::api::rest
