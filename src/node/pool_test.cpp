// What the pool keeps: how many of which template, and when it does not.
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "node/test_maker.hpp"

namespace atl::node {
namespace {

struct World {
  TestMaker maker;
  Pool* pool = nullptr;
  double free_memory = 1;

  std::uint64_t ready(const std::string& id = "shell-default") const {
    return pool->figures()[id].ready;
  }
  // Makes whatever is asked for, until so many wait.
  Task<void> fill(std::uint64_t count, std::string id = "shell-default") {
    while (ready(id) < count) {
      for (TestMaker::Making& one : maker.making) {
        if (!one.outcome) maker.finish(one);
      }
      co_await async::yield_now();
    }
  }
};

// Long enough for everything that does not wait.
Task<void> settle() {
  for (int i = 0; i < 200; ++i) co_await async::yield_now();
}

Task<void> set_up(async::Executor executor, PoolSettings settings, Task<void> (*body)(World*)) {
  World world;
  settings.memory = [&world] { return world.free_memory; };
  Pool pool(executor, world.maker, std::move(settings));
  world.pool = &pool;
  co_await body(&world);
  for (TestMaker::Making& one : world.maker.making) {
    if (!one.outcome) world.maker.refuse(one);
  }
  co_await pool.shut_down();
}

void run(Task<void> (*body)(World*), PoolSettings settings = {}) {
  async::run_to_end<void>(
      [&](async::Executor executor) { return set_up(executor, settings, body); });
}

// After five failures in a row it waits for the next look at its health, which is an hour away.
Task<void> gives_up(World* world) {
  world->pool->keep_ready({shell_template(1)});
  for (std::size_t failed = 1; failed <= 5; ++failed) {
    while (world->maker.making.size() < failed) co_await async::yield_now();
    world->maker.refuse(world->maker.making.back());
  }
  co_await settle();
  EXPECT_EQ(world->maker.making.size(), 5u);
}
TEST(PoolShelves, StopsAfterFiveFailuresInARow) {
  run(&gives_up, {.check_interval = std::chrono::hours(1)});
}

// A success in between begins a new row.
Task<void> streak_ends(World* world) {
  world->pool->keep_ready({shell_template(9)});
  for (std::size_t asked = 1; asked <= 8; ++asked) {
    while (world->maker.making.size() < asked) co_await async::yield_now();
    if (asked == 4) {
      world->maker.finish(world->maker.making.back());
    } else {
      world->maker.refuse(world->maker.making.back());
    }
  }
  while (world->maker.making.size() < 9) co_await async::yield_now();
  EXPECT_EQ(world->ready(), 1u);
}
TEST(PoolShelves, ASuccessEndsARowOfFailures) {
  run(&streak_ends, {.check_interval = std::chrono::hours(1)});
}

Task<void> evenly(World* world) {
  world->pool->keep_ready({shell_template(2, "a"), shell_template(2, "b")});
  co_await world->fill(1, "a");
  co_await world->fill(1, "b");
  EXPECT_EQ(world->ready("a"), 1u) << "the emptiest comes first";
  co_await world->fill(2, "a");
  co_await world->fill(2, "b");
}
TEST(PoolShelves, AreFilledEvenly) { run(&evenly); }

Task<void> total(World* world) {
  world->pool->keep_ready({shell_template(5)});
  co_await world->fill(2);
  co_await settle();
  EXPECT_EQ(world->maker.making.size(), 2u);
}
TEST(PoolShelves, StayBelowTheTotal) { run(&total, {.max_total = 2}); }

Task<void> impossible(World* world) {
  world->pool->keep_ready({shell_template(1, "impossible")});
  co_await settle();
  EXPECT_TRUE(world->maker.making.empty());
}
TEST(PoolShelves, NothingThatNobodyCanMake) { run(&impossible); }

Task<void> replaced(World* world) {
  TemplatePtr old = shell_template(1);
  world->pool->keep_ready({old});
  co_await world->fill(1);
  TemplatePtr changed = shell_template(1);
  EXPECT_EQ(world->pool->claim(changed, {}), nullptr) << "it is of the old one";
  world->pool->keep_ready({changed});
  while (world->ready() > 0) co_await async::yield_now();
  co_await world->fill(1);
  EXPECT_EQ(world->pool->claim(old, {}), nullptr);
  EXPECT_NE(world->pool->claim(changed, {}), nullptr);
  world->pool->keep_ready({});
  while (world->ready() > 0) co_await async::yield_now();
}
TEST(PoolShelves, GiveNothingOfAnOldTemplate) { run(&replaced); }

Task<void> dead(World* world) {
  TemplatePtr shell = shell_template(1);
  world->pool->keep_ready({shell});
  co_await world->fill(1);
  auto* first = static_cast<PoolSandbox*>(world->maker.making.front().outcome->value().get());
  first->alive = false;
  EXPECT_EQ(world->pool->claim(shell, {}), nullptr);
  co_await world->fill(1);
  EXPECT_EQ(first->stops, 1);
  EXPECT_NE(world->pool->claim(shell, {}), nullptr);
}
TEST(PoolShelves, GiveNothingThatIsDead) { run(&dead); }

Task<void> memory(World* world) {
  TemplatePtr shell = shell_template(4);
  world->pool->keep_ready({shell});
  co_await world->fill(4);
  world->free_memory = 0.05;
  while (world->ready() > 0) co_await async::sleep_for(std::chrono::milliseconds(1));
  std::size_t asked = world->maker.making.size();
  co_await settle();
  EXPECT_EQ(world->maker.making.size(), asked);
  world->free_memory = 0.5;
  co_await world->fill(4);
}
TEST(PoolShelves, AreEmptiedWhileMemoryIsShort) { run(&memory, {.min_free_percent = 10}); }

Task<void> limits(World* world) {
  TemplatePtr shell = shell_template(1);
  world->pool->keep_ready({shell});
  co_await world->fill(1);
  model::SessionConfig config;
  config.resources.memory = 64;
  EXPECT_EQ(world->pool->claim(shell, config), nullptr) << "its limits cannot be changed";
  config = {};
  config.allow_network = true;
  EXPECT_EQ(world->pool->claim(shell, config), nullptr) << "what waits has no network";
  EXPECT_EQ(world->pool->figures()["shell-default"].misses, 2u);
  EXPECT_NE(world->pool->claim(shell, {}), nullptr);
  EXPECT_EQ(world->pool->figures()["shell-default"].hits, 1u);
}
TEST(PoolShelves, GiveOnlyWhatFits) { run(&limits); }

}  // namespace
}  // namespace atl::node
