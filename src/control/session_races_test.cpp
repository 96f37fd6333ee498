// What two clients do to one session at once: by its key, by renewing it, while it is being made.
#include <utility>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_session_steps.hpp"

namespace atl::control::test {
namespace {

// Holds writes of ends until the test opens it.
struct Gate {
  bool closed = false;
  bool reached = false;
  async::Event opened;
};
Gate* gate = nullptr;

Task<Result<void>> hold_ends(const std::vector<store::Change>* changes) {
  for (const store::Change& change : *changes) {
    const auto* put = std::get_if<store::PutSession>(&change);
    if (put == nullptr || !model::is_final(put->row.state)) continue;
    gate->reached = true;
    while (gate->closed) co_await gate->opened.wait();
  }
  co_return Result<void>();
}

Task<void> create_into(Plane* plane, CreateRequest request, SessionId* id) {
  *id = co_await create(plane, std::move(request));
}

// A session that ends is nobody's any more: its key gives another one, once its files are saved.
Task<void> key_of_one_that_ends(Plane* plane) {
  CreateRequest request{.template_id = "shell-default", .session_key = "k", .wait = 60s};
  SessionId first = co_await create(plane, request);
  gate->closed = true;
  async::TaskGroup tasks(plane->executor);
  bool over = false;
  tasks.spawn(remove(plane, first, &over));
  while (!gate->reached) co_await async::yield_now();
  SessionId second;
  tasks.spawn(create_into(plane, request, &second));
  for (int i = 0; i < 100; ++i) co_await async::yield_now();
  EXPECT_TRUE(second.empty()) << "it waits for the end of the first";
  gate->closed = false;
  gate->opened.notify_all();
  co_await tasks.wait_idle();
  EXPECT_NE(second, first);
  EXPECT_EQ((co_await plane->control->sessions().get({}, second))->state, SessionState::kReady);
}

TEST(SessionLife, AKeyDoesNotGiveOneThatEnds) {
  Gate own;
  gate = &own;
  with_steps(key_of_one_that_ends, {.on_write = hold_ends});
}

Task<void> renewed_early(Plane* plane) {
  steps->hold_create = true;
  SessionId id = co_await create(plane, {.template_id = "shell-default"});
  auto renewed = co_await plane->control->session_changes().renew({}, id, 1000);
  EXPECT_TRUE(renewed.has_value()) << renewed.error().to_string();
  steps->release();
  model::Session ready = co_await until_state(plane, id, SessionState::kReady);
  EXPECT_EQ(ready.expires_at, renewed->expires_at) << "not the template's lifetime";
}

TEST(SessionLife, ARenewalWhileItIsBeingMadeCounts) { with_steps(renewed_early); }

// The next write fails, once the gate is open.
bool fail_next_write = false;

Task<Result<void>> fail_slowly(const std::vector<store::Change>* /*changes*/) {
  if (!std::exchange(fail_next_write, false)) co_return Result<void>();
  gate->reached = true;
  while (gate->closed) co_await gate->opened.wait();
  co_return fail(Code::kIo, "the disk is full");
}

Task<void> renew(Plane* plane, SessionId id, std::uint64_t seconds, bool* worked) {
  *worked = (co_await plane->control->session_changes().renew({}, id, seconds)).has_value();
}

// The first write fails after the second renewal: what that one set stays.
Task<void> renewed_twice(Plane* plane) {
  SessionId id = co_await create(plane, lasting(10));
  gate->closed = fail_next_write = true;
  async::TaskGroup tasks(plane->executor);
  bool first = true;
  tasks.spawn(renew(plane, id, 100, &first));
  while (!gate->reached) co_await async::yield_now();
  auto second = co_await plane->control->session_changes().renew({}, id, 200);
  EXPECT_TRUE(second.has_value()) << second.error().to_string();
  gate->closed = false;
  gate->opened.notify_all();
  co_await tasks.wait_idle();
  EXPECT_FALSE(first);
  EXPECT_EQ((co_await plane->control->sessions().get({}, id))->expires_at, second->expires_at);
}

TEST(SessionLife, ARenewalThatFailsDoesNotUndoALaterOne) {
  Gate own;
  gate = &own;
  with_steps(renewed_twice, {.on_write = fail_slowly});
}

Task<void> create_in_vain(Plane* plane, CreateRequest request) {
  auto made = co_await plane->control->session_maker().create({}, std::move(request));
  EXPECT_EQ(made.error().code(), Code::kIo);
}

// Two requests with one key at once: the second is not told of a session that the store may refuse.
Task<void> created_twice(Plane* plane) {
  CreateRequest request{.template_id = "shell-default", .session_key = "k", .wait = 60s};
  gate->closed = fail_next_write = true;
  async::TaskGroup tasks(plane->executor);
  tasks.spawn(create_in_vain(plane, request));
  while (!gate->reached) co_await async::yield_now();
  SessionId second;
  tasks.spawn(create_into(plane, request, &second));
  for (int i = 0; i < 100; ++i) co_await async::yield_now();
  EXPECT_TRUE(second.empty());
  gate->closed = false;
  gate->opened.notify_all();
  co_await tasks.wait_idle();
  EXPECT_FALSE(second.empty());
  EXPECT_EQ((co_await plane->control->sessions().get({}, second))->state, SessionState::kReady);
}

TEST(SessionLife, AKeyDoesNotGiveOneThatIsNotStored) {
  Gate own;
  gate = &own;
  with_steps(created_twice, {.on_write = fail_slowly});
}

}  // namespace
}  // namespace atl::control::test
