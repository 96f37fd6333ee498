// Servers that are slow, refuse, answer nothing, answer nonsense or cut what they said: faults that
// the real server does not produce when asked. Every start that fails must leave nothing behind.
#include <gtest/gtest.h>

#include "backends/opensandbox/remote_sandbox.hpp"
#include "http/test_server.hpp"
#include "observe/log.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::backends::opensandbox {
namespace {

using async::Task;
using http::Exchange;
using http::test::Bench;

constexpr const char* kInfo =
    R"({"id":"r1","status":{"state":"Running"},"createdAt":"2026-01-01T00:00:00Z",)"
    R"("metadata":{"atoll.instance":"i","atoll.sandbox":"s"}})";
constexpr const char* kInit = "{\"type\":\"init\",\"text\":\"c\"}\n\n";
constexpr const char* kDone = "{\"type\":\"execution_complete\"}\n\n";

// What a faulty server does instead of what is right.
struct Plan {
  int create_status = 202;
  std::string create_body = kInfo;
  bool cut_create = false;
  bool silent = false;
  bool locked = false;  // for this key
  int endpoint_status = 200;
  int pings_refused = 0;
  bool pings_broken = false;
  bool ended = false;  // the server knows it
  int command_status = 200;
  std::string stream;  // empty: every command succeeds without a word
  bool cut_stream = false;
  int repeats = 0;  // of the stream

  std::string address = {};
  bool exists = false;
  int removed = 0;
  int renewed = 0;
};

Task<void> answer(Exchange& exchange, int status, std::string body) {
  (void)co_await exchange.respond({.status = status, .headers = {}, .body = std::move(body)});
}

Task<void> serve_lifecycle(Exchange& exchange, Plan* plan) {
  const http::Request& request = exchange.request();
  if (request.method == http::Method::kDelete) {
    plan->removed += plan->exists ? 1 : 0;
    bool was_there = std::exchange(plan->exists, false);
    co_return co_await answer(exchange, was_there ? 204 : 404, "");
  }
  if (request.path.ends_with("/renew-expiration")) {
    ++plan->renewed;
    co_return co_await answer(exchange, 200, R"({"expiresAt":"2026-01-01T00:00:00Z"})");
  }
  if (request.path == "/v1/sandboxes/r1") {
    std::string info = plan->exists ? kInfo : "";
    if (plan->ended) info.replace(info.find("Running"), 7, "Failed");
    co_return co_await answer(exchange, plan->exists ? 200 : 404, std::move(info));
  }
  if (request.method == http::Method::kPost) {
    plan->exists = plan->create_status == 202;
    if (!plan->cut_create) {
      co_return co_await answer(exchange, plan->create_status, plan->create_body);
    }
    (void)co_await exchange.begin(202, {}, 1000);
    (void)co_await exchange.write("{\"id\":");
    co_return;
  }
  if (request.path.find("/endpoints/") != std::string::npos) {
    co_return co_await answer(exchange, plan->endpoint_status,
                              R"({"endpoint":")" + plan->address + R"(/inside"})");
  }
  co_return co_await answer(exchange, 200,
                            std::string(R"({"items":[)") + (plan->exists ? kInfo : "") +
                                R"(],"pagination":{"hasNextPage":false}})");
}

Task<void> serve_agent(Exchange& exchange, Plan* plan) {
  if (exchange.request().path == "/inside/ping") {
    if (plan->pings_broken) co_return co_await answer(exchange, 502, "");
    bool refused = plan->pings_refused-- > 0;
    co_return co_await answer(exchange, refused ? 503 : 200, "");
  }
  (void)co_await exchange.read_body(1 << 20);
  if (plan->command_status != 200) {
    co_return co_await answer(exchange, plan->command_status, "");
  }
  std::string stream = plan->stream.empty() ? std::string(kInit) + kDone : plan->stream;
  (void)co_await exchange.begin(200, {{"Content-Type", "text/event-stream"}});
  Result<void> written = co_await exchange.write(stream);
  for (int left = plan->repeats; left > 0 && written; --left) {
    written = co_await exchange.write(stream);
  }
  if (!plan->cut_stream) (void)co_await exchange.finish();
}

Task<void> serve(Exchange& exchange, Plan* plan) {
  while (plan->silent) co_await async::sleep_for(std::chrono::milliseconds(10));
  if (plan->locked) co_return co_await answer(exchange, 401, "");
  bool inside = exchange.request().path.starts_with("/inside/");
  co_await (inside ? serve_agent(exchange, plan) : serve_lifecycle(exchange, plan));
}

using Body = Task<void> (*)(Plan* plan, RemoteSandbox* sandbox);

Task<void> run_body(Bench bench, Plan* plan, Body body) {
  plan->address = bench.server->addresses().front();
  Settings settings;
  settings.server_url = "http://" + plan->address;
  settings.instance = "i";
  settings.timeout = std::chrono::seconds(3);
  settings.patience = std::chrono::seconds(plan->silent ? 1 : 30);
  auto lifecycle = std::make_shared<Lifecycle>(bench.executor, settings);
  RemoteSandbox sandbox(bench.executor, lifecycle, {.id = SandboxId("s")});
  co_await body(plan, &sandbox);
}

void with_plan(Plan plan, Body body) {
  http::test::with_server([&](Exchange& exchange) { return serve(exchange, &plan); },
                          [&](Bench bench) { return run_body(bench, &plan, body); });
  EXPECT_FALSE(plan.exists) << "a sandbox was left behind";
}

// Fails, and is gone.
Task<void> does_not_start(Plan* plan, RemoteSandbox* sandbox) {
  Result<void> started = co_await sandbox->start();
  EXPECT_FALSE(started);
  if (!started) {
    EXPECT_EQ(code_name(started.error().code()), code_name(Code::kBackend))
        << started.error().to_string();
    EXPECT_FALSE(started.error().message().empty());
  }
  EXPECT_FALSE(sandbox->is_running());
  EXPECT_FALSE(plan->exists);
}

TEST(OpenSandboxFaults, ARefusedCreateIsAnError) {
  for (int status : {400, 422, 500, 502}) {
    for (const char* body : {"", "<html>", "{}", R"({"detail":[{"msg":"x"}]})"}) {
      with_plan({.create_status = status, .create_body = body}, &does_not_start);
    }
  }
}

TEST(OpenSandboxFaults, AWrongKeyIsToldOnceWithWhereItIsSet) {
  static std::string logged;  // bodies have no captures
  log::set_sink([](std::string_view line) { logged += line; });
  with_plan({.locked = true}, [](Plan*, RemoteSandbox* sandbox) -> Task<void> {
    Result<void> started = co_await sandbox->start();
    EXPECT_FALSE(started);
    if (started) co_return;
    EXPECT_EQ(started.error().code(), Code::kUnauthenticated);
    EXPECT_NE(started.error().message().find("OPEN_SANDBOX_API_KEY"), std::string::npos);
  });
  log::set_sink(nullptr);
  EXPECT_EQ(logged.find("opensandbox_"), std::string::npos) << logged;
}

TEST(OpenSandboxFaults, ACreateThatTellsNothingIsTakenBack) {
  for (const char* body : {"", "<html>", "{}", "null", R"({"id":"r1"})"}) {
    with_plan({.create_body = body}, &does_not_start);
  }
  with_plan({.cut_create = true}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_FALSE(co_await sandbox->start());
    EXPECT_EQ(plan->removed, 1);
  });
}

TEST(OpenSandboxFaults, WithoutAnAddressItIsTakenBack) {
  with_plan({.endpoint_status = 500}, &does_not_start);
}

TEST(OpenSandboxFaults, AnAgentThatRefusesItsFirstCommandIsTakenBack) {
  with_plan({.command_status = 500}, &does_not_start);
  with_plan({.stream = kInit, .cut_stream = true}, &does_not_start);
  with_plan({.stream = kInit}, &does_not_start);
}

TEST(OpenSandboxFaults, ItWaitsForTheAgent) {
  with_plan({.pings_refused = 3}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_TRUE(co_await sandbox->start());
    EXPECT_LT(plan->pings_refused, 0);
    EXPECT_TRUE(co_await sandbox->stop());
  });
}

TEST(OpenSandboxFaults, AnEntryPointThatEndsIsNotWaitedFor) {
  with_plan({.pings_broken = true, .ended = true}, &does_not_start);
}

TEST(OpenSandboxFaults, ASilentServerIsGivenUp) {
  with_plan({.silent = true}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    Result<void> found = co_await sandbox->find_again();
    plan->silent = false;
    EXPECT_FALSE(found);
    if (!found) EXPECT_EQ(found.error().code(), Code::kTransferTimeout);
  });
}

TEST(OpenSandboxFaults, AnAgentThatNeverStopsTalkingIsNotListenedTo) {
  with_plan({}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_TRUE(co_await sandbox->start());
    plan->stream =
        R"({"type":"stdout","text":")" + std::string(256 << 10, 'x') + std::string("\"}\n\n");
    plan->repeats = 128;
    Result<std::vector<sandbox::ProcessInfo>> all = co_await sandbox->processes();
    EXPECT_FALSE(all);
    if (!all) EXPECT_EQ(all.error().code(), Code::kTooLarge);
    plan->repeats = 0;
    plan->stream.clear();
    EXPECT_TRUE(co_await sandbox->stop());
  });
}

// A program whose stream ends before it does.
Task<void> loses_the_program(Plan* plan, RemoteSandbox* sandbox) {
  std::string stream = std::exchange(plan->stream, "");
  EXPECT_TRUE(co_await sandbox->start());
  plan->stream = stream;
  plan->cut_stream = true;
  Result<sandbox::ExecResult> ran = co_await sandbox->exec({.argv = {"true"}});
  EXPECT_FALSE(ran);
  plan->stream.clear();
  plan->cut_stream = false;
  EXPECT_TRUE(co_await sandbox->stop());
}

TEST(OpenSandboxFaults, ACutStreamIsAnErrorAndNoResult) {
  for (const char* stream :
       {"\n", kInit, "{\"type\":\"stdout\",\"te", "no event at all\n",
        "{\"type\":\"stdout\",\"text\":\"half\"}\n\n", "{\"type\":\"error\",\"error\":{}}\n"}) {
    with_plan({.stream = stream}, &loses_the_program);
  }
}

// Both by itself; the case is given up when it never happens.
TEST(OpenSandboxFaults, ItIsRenewedAndNoticesItsEnd) {
  with_plan({}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_TRUE(co_await sandbox->start());
    while (plan->renewed < 2) co_await async::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(sandbox->is_running());
    plan->exists = false;
    while (sandbox->is_running()) co_await async::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ((co_await sandbox->usage()).error().code(), Code::kNotFound);
    EXPECT_EQ((co_await sandbox->exec({.argv = {"true"}})).error().code(), Code::kNotStarted);
  });
}

TEST(OpenSandboxFaults, AnAgentThatDiedIsNoticed) {
  with_plan({}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_TRUE(co_await sandbox->start());
    plan->pings_broken = true;
    while (sandbox->is_running()) co_await async::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(co_await sandbox->stop());
  });
}

TEST(OpenSandboxFaults, AStopThatFailsSaysSo) {
  with_plan({}, [](Plan* plan, RemoteSandbox* sandbox) -> Task<void> {
    EXPECT_TRUE(co_await sandbox->start());
    plan->exists = false;  // somebody else was faster: that is no failure
    EXPECT_TRUE(co_await sandbox->stop());
    EXPECT_FALSE(sandbox->is_running());
    EXPECT_EQ((co_await sandbox->stat("x")).error().code(), Code::kNotStarted);
  });
}

}  // namespace
}  // namespace atl::backends::opensandbox

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
