// One request from a session to its end, on the fake backend.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using namespace std::chrono_literals;
using async::Task;

// Of the store of the test that runs: writes that were more than a record.
int* commits = nullptr;

Task<Result<void>> count(const std::vector<store::Change>* changes) {
  for (const store::Change& change : *changes) {
    if (std::holds_alternative<store::AddAudit>(change)) continue;
    ++*commits;
    break;
  }
  co_return Result<void>();
}

RunRequest shell(std::string command) {
  return {.session = {.template_id = "shell-default"},
          .execution = {.shell_command = std::move(command)}};
}

Task<model::SessionState> state_of(Plane* plane, SessionId id) {
  auto row = co_await plane->control->sessions().get({}, std::move(id));
  EXPECT_TRUE(row.has_value());
  co_return row ? row->state : model::SessionState::kCreating;
}

Task<void> whole(Plane* plane) {
  auto ran = co_await plane->control->runs().run({}, shell("echo 1; exit 3"));
  EXPECT_TRUE(ran.has_value()) << ran.error().to_string();
  EXPECT_EQ(ran->value.output.stdout_bytes, "1\n");
  EXPECT_EQ(ran->value.exit_code, 3);
  EXPECT_EQ(ran->state, model::MadeState::kDone);
  EXPECT_EQ(plane->control->sessions().live_count(), 0u);
  EXPECT_EQ(co_await state_of(plane, ran->value.session_id), model::SessionState::kTerminated);
}

Task<void> followed(Plane* plane) {
  Runs& runs = plane->control->runs();
  RunRequest request = shell("read line; echo got $line");
  request.execution.stdin_open = true;
  auto run = co_await runs.begin({}, request);
  EXPECT_TRUE(run.has_value()) << run.error().to_string();
  auto row = co_await plane->control->executions().get({}, run->id());
  EXPECT_TRUE(row && !model::is_final(row->state)) << "a client may ask for it";
  EXPECT_TRUE(
      (co_await plane->control->executions().write_stdin({}, run->id(), "it\n", true)).has_value());
  auto ended = co_await run->end();
  EXPECT_EQ(ended->value.output.stdout_bytes, "got it\n");
  EXPECT_EQ(plane->control->sessions().live_count(), 0u);
}

Task<void> given_up(Plane* plane) {
  RunRequest request = shell("read line");
  request.execution.stdin_open = true;
  {
    auto run = co_await plane->control->runs().begin({}, request);
    EXPECT_EQ(plane->control->sessions().live_count(), 1u);
  }
  while (plane->control->sessions().live_count() > 0) co_await async::yield_now();
}

Task<void> refused(Plane* plane) {
  RunRequest request = shell("");
  request.execution = {.code = "true", .language = "bash", .context = "no such context"};
  auto ran = co_await plane->control->runs().run({}, request);
  EXPECT_EQ(ran.error().code(), Code::kNotFound);
  while (plane->control->sessions().live_count() > 0) co_await async::yield_now();
  auto none = co_await plane->control->runs().run({}, {.session = {.template_id = "none"}});
  EXPECT_EQ(none.error().code(), Code::kNotFound);
}

Task<void> repeated(Plane* plane) {
  Idempotency& keys = plane->control->idempotency();
  IdempotencyKey key{.key = "k", .fingerprint = "f"};
  auto one = co_await keys.begin({}, key);
  auto first = co_await plane->control->runs().run({}, shell("echo $$"), std::move(*one));
  auto two = co_await keys.begin({}, key);
  auto again = co_await plane->control->runs().run({}, shell("echo $$"), std::move(*two));
  EXPECT_FALSE(first->replayed);
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->value.output.stdout_bytes, first->value.output.stdout_bytes);
  auto three = co_await keys.begin({}, key);
  auto run = co_await plane->control->runs().begin({}, shell("echo $$"), std::move(*three));
  EXPECT_EQ(run->id(), first->value.id);
  auto ended = co_await run->end();
  EXPECT_TRUE(ended->replayed);
  EXPECT_EQ(plane->control->executions().started_total(), 1u);
}

// A session lives as long as its only execution may take.
Task<void> long_one(Plane* plane) {
  RunRequest request = shell("read line");
  request.execution.stdin_open = true;
  request.execution.timeout = 3600;
  auto run = co_await plane->control->runs().begin({}, request);
  auto execution = co_await plane->control->executions().get({}, run->id());
  auto session = co_await plane->control->sessions().get({}, execution->session_id);
  EXPECT_EQ(session->config.timeout_seconds, 3660u);
}

TEST(Runs, ASessionAnExecutionAndTheEnd) { with_control(whole); }
TEST(Runs, CanBeFollowedWhileTheyRun) { with_control(followed); }
TEST(Runs, OneThatIsGivenUpLeavesNoSession) { with_control(given_up); }
TEST(Runs, OneThatIsRefusedLeavesNoSession) { with_control(refused); }
TEST(Runs, OnceForAKey) { with_control(repeated); }
TEST(Runs, TheSessionOutlivesItsExecution) { with_control(long_one); }
TEST(Runs, OneCommitFromThePool) {
  int number = 0;
  commits = &number;
  PlaneWish wish{.on_write = &count};
  wish.control.limits.stored_after = 1h;
  with_control(
      [](Plane* plane) -> Task<void> {
        model::TemplateSpec spec{.language = "bash", .pool = 1};
        EXPECT_TRUE((co_await plane->control->templates().add({}, "warm", spec)).has_value());
        while (plane->control->placement().pool_figures()["warm"].ready == 0)
          co_await async::yield_now();
        *commits = 0;
        RunRequest request = shell("true");
        request.session.template_id = "warm";
        auto ran = co_await plane->control->runs().run({}, request);
        EXPECT_TRUE(ran.has_value());
        EXPECT_EQ(*commits, 1);
      },
      std::move(wish));
}

}  // namespace
}  // namespace atl::control::test
