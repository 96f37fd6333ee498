// GET /sessions/{id}/files/watch: what changes below a folder, as it changes.
#include <memory>
#include <utility>

#include "api/rest/files.hpp"
#include "api/rest/pulse.hpp"
#include "api/rest/query.hpp"
#include "api/rest/views.hpp"
#include "async/deadline.hpp"
#include "http/sse.hpp"

namespace atl::api::rest {

namespace {

std::string_view kind_name(model::FileChange::Kind kind) {
  using Kind = model::FileChange::Kind;
  switch (kind) {
    case Kind::kCreated: return "created";
    case Kind::kModified: return "modified";
    case Kind::kRemoved: return "removed";
    case Kind::kMoved: return "moved";
    case Kind::kOverflow: return "overflow";
  }
  return "overflow";
}

http::SseEvent as_event(const model::FileChange& change) {
  std::string kind(kind_name(change.kind));
  object data{{"event", kind}, {"path", json_text(change.path)}};
  return {.event = std::move(kind), .data = codec::serialize(data)};
}

}  // namespace

Task<Answer<void>> watch_files(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"path", "recursive"}));
  ATOLL_CO_TRY(bool recursive, query_flag(call, "recursive", true));
  ATOLL_CO_TRY(std::unique_ptr<control::Stream<model::FileChange>> changes,
               co_await call.control().files().watch(
                   call.caller, call.session_id(), std::string(call.request().query_value("path")),
                   recursive));
  http::SseWriter writer(*call.exchange);
  Pulse pulse(call.rest->options);
  Result<void> written = co_await writer.begin();
  while (written) {
    Result<std::optional<model::FileChange>> change = co_await async::with_deadline(
        changes->next(), pulse.next(), Code::kTransferTimeout, "nothing changed");
    if (change && *change) {
      written = co_await writer.send(as_event(**change));
      pulse.said_something();
      continue;
    }
    bool gone = change || change.error().code() != Code::kTransferTimeout;  // the folder, or the
                                                                            // sandbox
    Pulse::Beat beat = gone ? Pulse::Beat::kEnd : pulse.beat();
    if (beat == Pulse::Beat::kComment) written = co_await writer.comment();
    if (beat == Pulse::Beat::kEnd) {
      (void)co_await writer.finish();
      break;
    }
  }
  co_return Answer<void>();  // an Error was a client that went away
}

}  // namespace atl::api::rest
