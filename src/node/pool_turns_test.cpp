// Who gets which sandbox: the maker makes none until the test says so, and in the test's order.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "node/test_maker.hpp"

namespace atl::node {
namespace {

using async::Executor;

struct World {
  Executor executor;
  TestMaker maker;
  Pool* pool = nullptr;
  TemplatePtr shell;
  std::vector<std::pair<char, SandboxId>> served;  // an empty id: an error
  async::TaskGroup sessions{executor};

  TestMaker::Making& asked(std::size_t number) { return *std::next(maker.making.begin(), number); }
};

Task<void> wait_for_one(World* world, char name, model::SessionConfig config) {
  Result<SandboxPtr> got =
      co_await world->pool->next(SandboxId::make(), world->shell, std::move(config));
  world->served.emplace_back(name, got ? (*got)->id() : SandboxId());
}

Task<void> until_asked(World* world, std::size_t count) {
  while (world->maker.making.size() < count) co_await async::yield_now();
}
Task<void> until_served(World* world, std::size_t count) {
  while (world->served.size() < count) co_await async::yield_now();
}

Task<void> set_up(Executor executor, std::uint32_t size, Task<void> (*body)(World*)) {
  World world{.executor = executor};
  Pool pool(executor, world.maker,
            {.check_interval = std::chrono::milliseconds(20), .memory = [] { return 1.0; }});
  world.pool = &pool;
  world.shell = shell_template(size);
  co_await body(&world);
  co_await world.sessions.wait_idle();
  co_await pool.shut_down();
}

void run(std::uint32_t size, Task<void> (*body)(World*)) {
  async::run_to_end<void>([&](Executor executor) { return set_up(executor, size, body); });
}

Task<void> in_order(World* world) {
  for (char name : {'a', 'b', 'c'}) world->sessions.spawn(wait_for_one(world, name, {}));
  co_await until_asked(world, 3);
  std::vector<SandboxId> ids;
  for (std::size_t number : {2, 0, 1}) ids.push_back(world->maker.finish(world->asked(number)));
  co_await until_served(world, 3);
  EXPECT_EQ(world->served,
            (std::vector<std::pair<char, SandboxId>>{{'a', ids[0]}, {'b', ids[1]}, {'c', ids[2]}}));
}

Task<void> errors_in_order(World* world) {
  for (char name : {'a', 'b'}) world->sessions.spawn(wait_for_one(world, name, {}));
  co_await until_asked(world, 2);
  world->maker.refuse(world->asked(1));
  co_await until_served(world, 1);
  SandboxId id = world->maker.finish(world->asked(0));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served,
            (std::vector<std::pair<char, SandboxId>>{{'a', SandboxId()}, {'b', id}}));
}

// What the pool makes goes to the session that waits, and the session's own to the shelf, where the
// next one finds it.
Task<void> from_the_pool(World* world) {
  world->pool->keep_ready({world->shell});
  co_await until_asked(world, 1);
  world->sessions.spawn(wait_for_one(world, 'a', {}));
  co_await until_asked(world, 2);
  SandboxId first = world->maker.finish(world->asked(0));
  co_await until_served(world, 1);
  SandboxId second = world->maker.finish(world->asked(1));
  while (world->pool->figures()["shell-default"].ready == 0) co_await async::yield_now();
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served, (std::vector<std::pair<char, SandboxId>>{{'a', first}, {'b', second}}));
  co_await until_asked(world, 3);  // the shelf is filled again
  world->pool->keep_ready({world->shell});
  for (auto& one : world->maker.making) {
    if (!one.outcome) world->maker.finish(one);
  }
}

// A launcher that hung and goes on: what failed meanwhile, however often, is made in the end.
Task<void> goes_on(World* world) {
  world->pool->keep_ready({world->shell});
  for (std::size_t failed = 0; failed < 7; ++failed) {
    co_await until_asked(world, failed + 1);
    world->maker.refuse(world->asked(failed));
  }
  co_await until_asked(world, 8);
  world->maker.finish(world->asked(7));
  while (world->pool->figures()["shell-default"].ready == 0) co_await async::yield_now();
  EXPECT_NE(world->pool->claim(world->shell, {}), nullptr);
  co_await until_asked(world, 9);
  world->maker.finish(world->asked(8));
}

// Whoever comes while others wait does not get ahead of them.
Task<void> newcomers(World* world) {
  world->sessions.spawn(wait_for_one(world, 'a', {}));
  co_await until_asked(world, 1);
  EXPECT_EQ(world->pool->claim(world->shell, {}), nullptr);
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_asked(world, 2);
  SandboxId second = world->maker.finish(world->asked(1));
  SandboxId first = world->maker.finish(world->asked(0));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served, (std::vector<std::pair<char, SandboxId>>{{'a', second}, {'b', first}}));
}

// What was made for a session that has left is for the others.
Task<void> leaves(World* world) {
  async::TaskGroup leaving(world->executor);
  leaving.spawn(wait_for_one(world, 'x', {}));
  world->sessions.spawn(wait_for_one(world, 'a', {}));
  co_await until_asked(world, 2);
  co_await leaving.join();
  SandboxId id = world->maker.finish(world->asked(0));
  co_await until_served(world, 1);
  EXPECT_EQ(world->served.back(), (std::pair<char, SandboxId>{'a', id}));
  world->maker.finish(world->asked(1));
}

// Other limits than the template's: a sandbox of its own, with the id that was asked for.
Task<void> own_limits(World* world) {
  model::SessionConfig config;
  config.resources.memory = 64;
  world->sessions.spawn(wait_for_one(world, 'a', config));
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_asked(world, 2);
  SandboxId second = world->maker.finish(world->asked(1));
  co_await until_served(world, 1);
  SandboxId first = world->maker.finish(world->asked(0));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served, (std::vector<std::pair<char, SandboxId>>{{'b', second}, {'a', first}}));
}

// covers: C52
TEST(PoolTurns, TheLongestWaitingIsServedFirst) { run(0, &in_order); }
TEST(PoolTurns, FailuresTakeTurnsToo) { run(0, &errors_in_order); }
// covers: C52
TEST(PoolTurns, WhatThePoolMadeGoesToASessionThatWaits) { run(1, &from_the_pool); }
TEST(PoolTurns, ThePoolGoesOnAfterFailures) { run(1, &goes_on); }
TEST(PoolTurns, NewcomersQueueUp) { run(0, &newcomers); }
TEST(PoolTurns, ASessionThatLeavesKeepsNothing) { run(0, &leaves); }
TEST(PoolTurns, OtherLimitsTakeASandboxOfTheirOwn) { run(0, &own_limits); }

}  // namespace
}  // namespace atl::node
