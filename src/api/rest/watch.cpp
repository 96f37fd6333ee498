// GET /sessions/{id}/files/watch: what changes below a folder, as it changes.
#include <memory>
#include <utility>

#include "api/rest/files.hpp"
#include "api/rest/pulse.hpp"
#include "api/rest/views.hpp"
#include "async/deadline.hpp"
#include "control/box_path.hpp"
#include "http/sse.hpp"

namespace atl::api::rest {

namespace {

std::string_view kind_name(std::uint8_t kind) {
  switch (kind) {
    case guest::WatchEvent::kCreated: return "created";
    case guest::WatchEvent::kModified: return "modified";
    case guest::WatchEvent::kRemoved: return "removed";
    case guest::WatchEvent::kMoved: return "moved";
    default: return "overflow";
  }
}

http::SseEvent said(const sandbox::WatchEvent& event, const Place& place) {
  std::string kind(kind_name(event.kind));
  std::string path = control::shown_path(place.path + "/" + event.path, place.workspace);
  object data{{"event", kind}, {"path", json_text(path)}};
  return {.event = std::move(kind), .data = codec::serialize(data)};
}

}  // namespace

Task<Answer<void>> watch_files(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"path", "recursive"}));
  ATOLL_CO_TRY(bool recursive, query_flag(call, "recursive", true));
  ATOLL_CO_TRY(Place place,
               co_await open_place(call, std::string(call.request().query_value("path"))));
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Watch> watch,
               co_await place.sandbox().watch(place.path, recursive));
  http::SseWriter writer(*call.exchange);
  Pulse pulse(call.rest->options);
  Result<void> written = co_await writer.begin();
  while (written) {
    Result<sandbox::WatchEvent> event = co_await async::with_deadline(
        watch->next(), pulse.next(), Code::kTransferTimeout, "nothing changed");
    if (event) {
      written = co_await writer.send(said(*event, place));
      pulse.said_something();
      continue;
    }
    bool gone = event.error().code() != Code::kTransferTimeout;  // the folder, or the sandbox
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
