#include <memory>

#include <gtest/gtest.h>

#include "client/execution_stream.hpp"
#include "http/problem.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::client {
namespace {

using http::Exchange;
using http::SseEvent;
using http::test::Bench;

// Sends its part of the events, one request after the other, and cuts the connection behind each
// part but the last.
struct Play {
  std::vector<std::vector<SseEvent>> parts;
  std::vector<std::string> seen;  // method, path and Last-Event-ID
  std::string key;                // of the requests that start it
};

Task<void> give(Play* play, Exchange& exchange) {
  const http::Request& request = exchange.request();
  play->seen.push_back(std::string(http::method_name(request.method)) + " " + request.path + " " +
                       std::string(request.headers.get("last-event-id")));
  if (request.method == http::Method::kPost) {
    std::string_view key = request.headers.get("idempotency-key");
    EXPECT_FALSE(key.empty());
    if (!play->key.empty()) EXPECT_EQ(key, play->key);
    play->key = key;
  }
  if (play->seen.size() > play->parts.size()) {
    static_cast<void>(
        co_await exchange.respond(http::problem(Error(Code::kNotFound, "no such execution"))));
    co_return;
  }
  http::SseWriter writer(exchange);
  static_cast<void>(co_await writer.begin());
  for (const SseEvent& event : play->parts[play->seen.size() - 1]) {
    static_cast<void>(co_await writer.send(event));
  }
  if (play->seen.size() == play->parts.size()) static_cast<void>(co_await writer.finish());
}

const SseEvent kInit{"init", "0", R"({"execution_id":"e1"})"};
const SseEvent kOut{"stdout", "1", R"({"text":"a"})"};
const SseEvent kMore{"stdout", "2", R"({"text":"b"})"};
const SseEvent kComplete{"complete", "3", R"({"exit_code":0})"};

// The names and texts of the events, or the code of the error.
Task<std::string> listen(ExecutionStream* stream) {
  std::string log;
  for (;;) {
    Result<std::optional<ExecutionEvent>> event = co_await stream->next();
    if (!event) co_return log + std::string(code_name(event.error().code()));
    if (!*event) co_return log + "end";
    bool is_output = (*event)->name == "stdout";
    Result<bodies::OutputEventBody> output = (*event)->as<bodies::OutputEventBody>();
    log += (*event)->name + (is_output && output ? output->text : "") + " ";
  }
}

Task<void> take_part(Bench bench, bool starts, std::string* log) {
  Api api(bench.executor, {.url = "http://127.0.0.1:" + std::to_string(bench.server->port())});
  ExecutionStream stream(api);
  Result<void> begun = Result<void>();
  if (starts) {
    begun = co_await stream.start(SessionId("s"), bodies::ExecuteBody());
  } else {
    begun = co_await stream.follow(ExecutionId("e1"));
  }
  EXPECT_TRUE(begun) << begun.error().to_string();
  if (begun) *log = co_await listen(&stream);
}

std::string heard(Play* play, bool starts) {
  std::string log;
  http::test::with_server([play](Exchange& exchange) { return give(play, exchange); },
                          [&](Bench bench) { return take_part(bench, starts, &log); });
  return log;
}

TEST(ExecutionStream, GivesEventsUntilTheLast) {
  Play play{.parts = {{kInit, kOut, kMore, kComplete}}};
  EXPECT_EQ(heard(&play, true), "init stdouta stdoutb complete end");
  EXPECT_EQ(play.seen, std::vector<std::string>{"POST /api/v1/sessions/s/execute "});
}

TEST(ExecutionStream, GoesOnBehindTheLastEventItSaw) {
  Play play{.parts = {{kInit, kOut}, {}, {kMore, kComplete}}};
  EXPECT_EQ(heard(&play, true), "init stdouta stdoutb complete end");
  std::vector<std::string> wanted{"POST /api/v1/sessions/s/execute ",
                                  "GET /api/v1/executions/e1/stream 1",
                                  "GET /api/v1/executions/e1/stream 1"};
  EXPECT_EQ(play.seen, wanted);
}

// Cut before it was told its execution: asked once more, and the key makes the two one.
TEST(ExecutionStream, StartsOnlyOnce) {
  Play play{.parts = {{}, {kInit, kComplete}}};
  EXPECT_EQ(heard(&play, true), "init complete end");
  EXPECT_EQ(play.seen.size(), 2u);
  EXPECT_EQ(play.seen[0], play.seen[1]);
}

TEST(ExecutionStream, FollowsFromTheBeginning) {
  Play play{.parts = {{kInit, kOut, kComplete}}};
  EXPECT_EQ(heard(&play, false), "init stdouta complete end");
  EXPECT_EQ(play.seen, std::vector<std::string>{"GET /api/v1/executions/e1/stream "});
}

TEST(ExecutionStream, ARefusalOnTheWayIsTheEnd) {
  Play play{.parts = {{kInit}, {}}};
  EXPECT_EQ(heard(&play, true), "init not_found");
}

TEST(ExecutionStream, AnEventThatIsNoJsonIsAnError) {
  Play play{.parts = {{{"stdout", "1", "{"}}}};
  EXPECT_EQ(heard(&play, true), "backend_error");
}

}  // namespace
}  // namespace atl::client
// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
