#include "client/execution_stream.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "async/deadline.hpp"
#include "base/code_from_name.hpp"
#include "codec/json.hpp"
#include "http/problem.hpp"

namespace atl::client {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kHeadPatience{30};
constexpr seconds kSilence{60};  // the server says something every 15
constexpr seconds kAway{10};     // how long a server may take to come back
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{1000};
constexpr std::size_t kMaxEvent = 64u << 20;

bool is_cut(const Error& error) {
  return error.code() == Code::kIo || error.code() == Code::kTransferTimeout;
}

}  // namespace

std::optional<Error> failure_of(const bodies::ExecutionBody& execution) {
  if (!execution.error) return std::nullopt;
  return Error(code_from_name(execution.error->code), execution.error->message);
}

Task<Result<void>> ExecutionStream::start(SessionId session, bodies::ExecuteBody body) {
  session_ = std::move(session);
  body_ = codec::encode(body);
  repeat_key_ = make_sortable_id();
  return connect();
}

Task<Result<void>> ExecutionStream::follow(ExecutionId id) {
  id_ = std::move(id);
  return connect();
}

Task<Result<void>> ExecutionStream::connect() {
  http::ClientRequest request{.deadline = async::deadline_in(kHeadPatience)};
  request.headers.add("Accept", "text/event-stream");
  if (id_.empty()) {
    request.method = http::Method::kPost;
    request.target = session_path(session_, "/execute");
    request.headers.add("Content-Type", "application/json");
    request.headers.add("Idempotency-Key", repeat_key_);
    request.body = body_;
  } else {
    request.target = execution_path(id_, "/stream");
    if (!last_event_.empty()) request.headers.add("Last-Event-ID", last_event_);
  }
  ATOLL_CO_TRY(http::ClientResponse response, co_await api_->open(std::move(request)));
  response_.emplace(std::move(response));
  reader_ = http::SseReader(kMaxEvent);
  co_return Result<void>();
}

Task<Result<void>> ExecutionStream::connect_again() {
  response_.reset();
  async::Deadline deadline = async::deadline_in(kAway);
  for (milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    Result<void> connected = co_await connect();
    if (connected || !is_cut(connected.error())) co_return connected;
    if (std::chrono::steady_clock::now() + pause > deadline) co_return connected;
    co_await async::sleep_for(pause);
  }
}

Result<std::optional<ExecutionEvent>> ExecutionStream::take(http::SseEvent event) {
  auto data = codec::parse(event.data, {.max_bytes = kMaxEvent, .max_depth = 128});
  if (!data) return fail(Code::kBackend, "an event of the server is no JSON");
  ExecutionEvent given{.name = std::move(event.event), .data = std::move(*data)};
  if (given.name == "init") {
    ATOLL_TRY(bodies::ExecutionStartBody start, given.as<bodies::ExecutionStartBody>());
    id_ = ExecutionId(std::move(start.execution_id));
  }
  if (!event.id.empty()) last_event_ = std::move(event.id);
  complete_ = given.name == "complete";
  return given;
}

Task<Result<std::optional<ExecutionEvent>>> ExecutionStream::next() {
  std::array<char, 64 * 1024> buffer;
  while (!complete_) {
    if (auto event = reader_.next()) co_return take(std::move(*event));
    Result<std::size_t> got = co_await response_->read_some(buffer, async::deadline_in(kSilence));
    if (got && *got > 0) {
      ATOLL_CO_CHECK(reader_.feed(std::string_view(buffer.data(), *got)));
      continue;
    }
    if (!got && !is_cut(got.error())) co_return fail(got.error());
    ATOLL_CO_CHECK(co_await connect_again());
  }
  co_return std::nullopt;
}

}  // namespace atl::client
