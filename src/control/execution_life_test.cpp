// Queueing, cancelling and time-outs of executions, on the fake backend.
#include <algorithm>
#include <variant>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/task_group.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using namespace std::chrono_literals;
using async::Task;
using model::ExecutionState;

// Runs until its stdin is closed.
ExecuteRequest until_told() { return {.shell_command = "cat", .stdin_open = true, .timeout = 0}; }

Task<ExecutionId> start(Plane* plane, SessionId id, ExecuteRequest request) {
  auto begun = co_await plane->control->executions().execute({}, std::move(id), std::move(request),
                                                             std::nullopt);
  EXPECT_TRUE(begun.has_value()) << begun.error().to_string();
  co_return begun ? begun->value.id : ExecutionId();
}

Task<model::Execution> get(Plane* plane, ExecutionId id) {
  auto row = co_await plane->control->executions().get({}, std::move(id));
  EXPECT_TRUE(row.has_value()) << row.error().to_string();
  co_return row ? std::move(*row) : model::Execution();
}

Task<model::Execution> until(Plane* plane, ExecutionId id, ExecutionState state) {
  for (;;) {
    model::Execution row = co_await get(plane, id);
    if (row.state == state) co_return row;
    if (model::is_final(row.state)) {
      ADD_FAILURE() << "it ended otherwise: " << row.error_message;
      co_return row;
    }
    co_await async::sleep_for(1ms);
  }
}

// Clients may see the end a moment before it is written.
Task<void> until_stored(Plane* plane, ExecutionId id, ExecutionState state) {
  for (;;) {
    auto row = co_await plane->control->store().execution(id, false);
    if (!row || row->state == state) co_return;
    co_await async::sleep_for(1ms);
  }
}

PlaneWish one_at_a_time(std::size_t waiting = 10) {
  PlaneWish wish;
  wish.control.executions.at_once = 1;
  wish.control.executions.waiting = waiting;
  return wish;
}

Task<void> close_stdin(Plane* plane, ExecutionId id) {
  Result<void> closed =
      co_await plane->control->executions().write_stdin({}, std::move(id), "", true);
  EXPECT_TRUE(closed.has_value()) << closed.error().to_string();
}

Task<void> queue(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(plane, id, until_told());
  ExecutionId second = co_await start(plane, id, until_told());
  ExecutionId third = co_await start(plane, id, {.shell_command = "echo 3"});
  (void)co_await until(plane, first, ExecutionState::kRunning);
  EXPECT_EQ((co_await get(plane, second)).state, ExecutionState::kQueued);
  EXPECT_EQ((co_await get(plane, third)).state, ExecutionState::kQueued);
  co_await until_stored(plane, third, ExecutionState::kQueued);
  auto status = co_await plane->control->sessions().status({}, id);
  EXPECT_EQ(status->running, std::vector<std::string>{first.str()});
  EXPECT_EQ(status->status, model::SessionState::kRunning);
  co_await close_stdin(plane, first);
  (void)co_await until(plane, first, ExecutionState::kCompleted);
  (void)co_await until(plane, second, ExecutionState::kRunning);
  EXPECT_EQ((co_await get(plane, third)).state, ExecutionState::kQueued) << "in order";
  co_await close_stdin(plane, second);
  model::Execution last = co_await until(plane, third, ExecutionState::kCompleted);
  EXPECT_EQ(last.output.stdout_bytes, "3\n");
  co_await until_stored(plane, third, ExecutionState::kCompleted);
}

TEST(ExecutionLife, WaitsForThoseBeforeIt) { with_control(queue, one_at_a_time()); }

// The first write of an execution waits until the test lets it go on, and then fails or not.
struct Held {
  bool reached = false;
  bool released = false;
  bool fails = false;
  async::Event changed;
};
Held* held = nullptr;

Task<Result<void>> hold_first(const std::vector<store::Change>* changes) {
  bool execution = std::ranges::any_of(*changes, [](const store::Change& change) {
    return std::holds_alternative<store::PutExecution>(change);
  });
  if (!execution || held->reached) co_return Result<void>();
  held->reached = true;
  while (!held->released) co_await held->changed.wait();
  if (held->fails) co_return fail(Code::kNoAvailableRuntime, "no store today");
  co_return Result<void>();
}

Task<void> try_start(Plane* plane, SessionId id, std::optional<ExecutionId>* started) {
  auto begun =
      co_await plane->control->executions().execute({}, std::move(id), until_told(), std::nullopt);
  if (begun) *started = begun->value.id;
}

// One that is in the queue, but not in the store yet, goes before those that came later.
Task<void> keep_order(Plane* plane) {
  SessionId id = co_await make_session(plane);
  SessionId other = co_await make_session(plane);
  std::optional<ExecutionId> first;
  async::TaskGroup tasks(plane->executor);
  tasks.spawn(try_start(plane, id, &first));
  while (!held->reached) co_await async::yield_now();
  auto second = co_await plane->control->executions().begin({}, id, {.shell_command = "echo 2"});
  EXPECT_TRUE(second.has_value()) << second.error().to_string();
  ExecutionId beside = co_await start(plane, other, {.shell_command = "echo beside"});
  (void)co_await until(plane, beside, ExecutionState::kCompleted);
  EXPECT_EQ((co_await get(plane, *second)).state, ExecutionState::kQueued);
  held->released = true;
  held->changed.notify_all();
  co_await tasks.wait_idle();
  EXPECT_EQ(first.has_value(), !held->fails);
  if (first) {
    (void)co_await until(plane, *first, ExecutionState::kRunning);
    EXPECT_EQ((co_await get(plane, *second)).state, ExecutionState::kQueued);
    co_await close_stdin(plane, *first);
  }
  (void)co_await until(plane, *second, ExecutionState::kCompleted);
}

void test_order(bool fails) {
  Held own{.fails = fails};
  held = &own;
  PlaneWish wish = one_at_a_time();
  wish.on_write = hold_first;
  with_control(keep_order, std::move(wish));
  held = nullptr;
}

TEST(ExecutionLife, KeepsItsPlaceWhileItIsWritten) { test_order(false); }
TEST(ExecutionLife, LeavesItsPlaceWhenTheStoreRefusesIt) { test_order(true); }

Task<void> full(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(plane, id, until_told());
  ExecutionId second = co_await start(plane, id, until_told());
  auto third = co_await plane->control->executions().start({}, id, until_told(), false);
  EXPECT_EQ(third.error().code(), Code::kResourceExhausted);
  EXPECT_TRUE((co_await plane->control->executions().cancel({}, second)).has_value());
  ExecutionId fourth = co_await start(plane, id, until_told());
  EXPECT_EQ((co_await get(plane, fourth)).state, ExecutionState::kQueued);
}

TEST(ExecutionLife, IsRefusedWhenTheQueueIsFull) { with_control(full, one_at_a_time(1)); }

Task<void> withdrawn(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(plane, id, until_told());
  (void)co_await until(plane, first, ExecutionState::kRunning);
  ExecutionId second = co_await start(plane, id, {.shell_command = "echo never"});
  EXPECT_TRUE((co_await plane->control->executions().cancel({}, second)).has_value());
  model::Execution row = co_await until(plane, second, ExecutionState::kCancelled);
  EXPECT_FALSE(row.started_at) << "it never began";
  EXPECT_EQ(row.error_code, "cancelled");
  co_await until_stored(plane, second, ExecutionState::kCancelled);
  EXPECT_EQ((co_await get(plane, first)).state, ExecutionState::kRunning) << "another one";
}

TEST(ExecutionLife, CanBeCancelledWhileItWaits) { with_control(withdrawn, one_at_a_time()); }

Task<void> cancelled(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first =
      co_await start(plane, id, {.shell_command = "echo begun; sleep 1000", .timeout = 0});
  for (;;) {
    model::Execution row = co_await get(plane, first);
    if (row.output.stdout_bytes == "begun\n") break;
    co_await async::sleep_for(1ms);
  }
  EXPECT_TRUE((co_await plane->control->executions().cancel({}, first)).has_value());
  model::Execution row = co_await until(plane, first, ExecutionState::kCancelled);
  EXPECT_EQ(row.output.stdout_bytes, "begun\n") << "its output is kept";
  EXPECT_TRUE((co_await plane->control->executions().cancel({}, first)).has_value()) << "again";
  Caller stranger{.tenant = "another"};
  EXPECT_EQ((co_await plane->control->executions().cancel(stranger, first)).error().code(),
            Code::kNotFound);
  ExecutionId next = co_await start(plane, id, {.shell_command = "true"});
  (void)co_await until(plane, next, ExecutionState::kCompleted);
}

TEST(ExecutionLife, CanBeCancelledWhileItRuns) { with_control(cancelled); }

// What does not end when it is told to is killed.
Task<void> deaf(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(
      plane, id,
      {.shell_command = "trap '' INT; echo begun; cat", .stdin_open = true, .timeout = 0});
  while ((co_await get(plane, first)).output.stdout_bytes != "begun\n") {
    co_await async::sleep_for(1ms);
  }
  EXPECT_TRUE((co_await plane->control->executions().cancel({}, first)).has_value());
  (void)co_await until(plane, first, ExecutionState::kCancelled);
}

TEST(ExecutionLife, IsKilledWhenItDoesNotEndByItself) { with_control(deaf); }

Task<void> late(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(plane, id, {.shell_command = "sleep 1000", .timeout = 0.05});
  model::Execution row = co_await until(plane, first, ExecutionState::kTimedOut);
  EXPECT_EQ(row.error_code, "exec_timeout");
  co_await until_stored(plane, first, ExecutionState::kTimedOut);
}

TEST(ExecutionLife, EndsWhenItsTimeIsUp) { with_control(late); }

Task<void> with_session(Plane* plane) {
  SessionId id = co_await make_session(plane);
  ExecutionId first = co_await start(plane, id, until_told());
  ExecutionId second = co_await start(plane, id, until_told());
  (void)co_await until(plane, first, ExecutionState::kRunning);
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  (void)co_await until(plane, first, ExecutionState::kCancelled);
  model::Execution row = co_await until(plane, second, ExecutionState::kCancelled);
  EXPECT_EQ(row.error_message, "the session has ended");
}

TEST(ExecutionLife, IsCancelledWithItsSession) { with_control(with_session, one_at_a_time()); }

Task<void> early(Plane* plane) {
  auto made = co_await plane->control->session_maker().create({}, {.template_id = "shell-default"});
  ExecutionId id = co_await start(plane, made->value.id, {.shell_command = "echo early"});
  model::Execution row = co_await until(plane, id, ExecutionState::kCompleted);
  EXPECT_EQ(row.output.stdout_bytes, "early\n");
}

TEST(ExecutionLife, WaitsForASessionThatIsBeingMade) { with_control(early); }

}  // namespace
}  // namespace atl::control::test
