#include "api/mcp/run_call.hpp"

#include <utility>

#include "api/common/limits.hpp"
#include "async/deadline.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"
#include "http/sse.hpp"

namespace atl::api::mcp {

namespace {

Task<Result<bool>> until_news(CallPtr call) {
  while (!call->done && !call->over() && call->outbox.empty()) co_await call->changed.wait();
  co_return true;
}

Task<void> watch_client(CallPtr call, http::Exchange* exchange) {
  co_await exchange->client_gone();
  call->gone = true;
  call->changed.notify_all();
}

// The stream of one call: nothing is written before there is something to say.
class CallStream {
 public:
  CallStream(CallPtr call, http::Exchange* exchange)
      : call_(std::move(call)), exchange_(exchange), writer_(*exchange) {}

  Task<Result<void>> flush() {
    ATOLL_CO_CHECK(co_await begin());
    while (!call_->outbox.empty()) {
      writer_.add("message", "", call_->outbox.front());
      call_->outbox.pop_front();
    }
    co_return co_await writer_.flush();
  }
  Task<Result<void>> keep_alive() {
    ATOLL_CO_CHECK(co_await begin());
    co_return co_await writer_.comment();
  }
  Task<void> answer() {
    if (!begun_ && call_->outbox.empty()) {
      co_await respond(exchange_, call_->status, call_->answer);
      co_return;
    }
    call_->outbox.push_back(codec::serialize(call_->answer));
    if (!co_await flush()) co_return;
    (void)co_await writer_.finish();
  }
  // A call that was cancelled gets no answer.
  Task<void> end_without_answer() {
    if (!begun_ && !call_->may_stream) {
      (void)co_await exchange_->respond({.status = 202});
      co_return;
    }
    if (!co_await begin()) co_return;
    (void)co_await writer_.finish();
  }

 private:
  Task<Result<void>> begin() {
    if (begun_) co_return Result<void>();
    begun_ = true;
    co_return co_await writer_.begin({{"X-Accel-Buffering", "no"}});
  }

  CallPtr call_;
  http::Exchange* exchange_;
  http::SseWriter writer_;
  bool begun_ = false;
};

// Until the call is done or nobody wants it any more.
Task<void> attend(CallPtr call, CallStream* stream) {
  while (!call->done && !call->over()) {
    Result<void> sent;
    if (!call->outbox.empty()) {
      sent = co_await stream->flush();
    } else {
      Result<bool> news =
          co_await async::with_deadline(until_news(call), async::deadline_in(kKeepAlive),
                                        Code::kTransferTimeout, "nothing to say");
      if (!news && call->may_stream) sent = co_await stream->keep_alive();
    }
    if (!sent) call->gone = true;
  }
}

// Nobody wants it any more: what it runs is ended, and what it has begun besides comes to its own
// end, so that nothing stays half done.
Task<void> give_up(CallPtr call) {
  bool told = false;
  while (!call->done) {
    if (!told && !call->execution.empty()) {
      told = true;
      (void)co_await call->control().executions().cancel(call->caller, call->execution);
    } else {
      co_await call->changed.wait();
    }
  }
}

}  // namespace

Task<void> respond(http::Exchange* exchange, int status, boost::json::value body,
                   std::string session_id) {
  http::Response response{.status = status};
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  if (!session_id.empty()) response.headers.add("Mcp-Session-Id", session_id);
  response.body = codec::serialize(body);
  (void)co_await exchange->respond(std::move(response));
}

Task<void> run_call(CallPtr call, http::Exchange* exchange) {
  async::TaskGroup work(call->mcp->options.executor);
  CallStream stream(call, exchange);
  work.spawn(carry_out(call));
  if (!call->done) {
    async::TaskGroup watch(call->mcp->options.executor);
    watch.spawn(watch_client(call, exchange));
    co_await attend(call, &stream);
    if (!call->done) co_await give_up(call);
    co_await watch.join();
  }
  co_await work.wait_idle();
  if (call->gone) co_return;
  if (call->cancelled) {
    co_await stream.end_without_answer();
  } else {
    co_await stream.answer();
  }
}

}  // namespace atl::api::mcp
