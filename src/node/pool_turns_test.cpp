// Who gets which sandbox: the node makes none until the test says so, and in the test's order.
#include <list>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "contexts/test_sandbox.hpp"
#include "node/pool.hpp"

namespace atl::node {
namespace {

using async::Executor;
using async::Task;

class TestNode final : public Node {
 public:
  struct Making {
    SandboxId id;
    std::optional<Result<SandboxPtr>> outcome;
    async::Event over;
  };
  std::list<Making> making;  // in the order in which they were asked for

  SandboxId finish(Making& one) {
    auto sandbox = std::make_shared<contexts::TestSandbox>();
    SandboxId id = sandbox->id();
    one.outcome = SandboxPtr(std::move(sandbox));
    one.over.notify_all();
    return id;
  }
  void refuse(Making& one) {
    one.outcome = fail(Code::kBackend, "no");
    one.over.notify_all();
  }

  const std::string& id() const override { return id_; }
  std::string backend_of(const model::Template&) const override { return "test"; }
  Task<Result<void>> open_default() override { co_return Result<void>(); }
  Result<void> check(const model::Template& origin, const model::SessionConfig&) const override {
    if (origin.id == "shell-default") return {};
    return fail(Code::kUnsupportedBackend, "the tests need one template");
  }
  Task<Result<SandboxPtr>> make(SandboxId id, TemplatePtr, model::SessionConfig) override {
    Making& mine = making.emplace_back();
    mine.id = std::move(id);
    while (!mine.outcome) co_await mine.over.wait();
    co_return *mine.outcome;
  }
  bool can_change_limits(const model::Template&) const override { return false; }
  Task<Result<void>> change_limits(SandboxPtr, TemplatePtr, model::SessionConfig) override {
    co_return Result<void>();
  }
  Task<Result<SandboxPtr>> find_again(std::string, SandboxId) override {
    co_return fail(Code::kNotFound, "none");
  }
  Task<Result<std::vector<SandboxId>>> list(std::string) override {
    co_return std::vector<SandboxId>();
  }
  Task<Result<void>> destroy(std::string, SandboxId) override { co_return Result<void>(); }
  std::vector<std::string> backends() const override { return {}; }
  bool can_find_again(const std::string&) const override { return true; }
  bool has_made(const SandboxId&) const override { return false; }
  void forget_made() override {}
  Task<void> until_lost() override { co_return; }
  bool is_lost() const override { return false; }
  Task<Result<void>> prepare(TemplatePtr) override { co_return Result<void>(); }
  NodeResources resources() const override { return {}; }

 private:
  std::string id_ = "test";
};

class OneTemplate final : public TemplateSource {
 public:
  explicit OneTemplate(std::uint32_t pool_size) {
    model::Template shell;
    shell.id = "shell-default";
    shell.spec.pool = pool_size;
    shell_ = std::make_shared<const model::Template>(std::move(shell));
  }
  Result<TemplatePtr> find(const std::string& id) const override {
    if (id == shell_->id) return shell_;
    return fail(Code::kNotFound, "no such template");
  }
  std::vector<TemplatePtr> list() const override { return {shell_}; }

 private:
  TemplatePtr shell_;
};

struct World {
  Executor executor;
  TestNode node;
  Pool* pool = nullptr;
  TemplatePtr shell;
  std::vector<std::pair<char, SandboxId>> served;  // an empty id: an error
  async::TaskGroup sessions{executor};

  TestNode::Making& asked(std::size_t number) { return *std::next(node.making.begin(), number); }
};

Task<void> wait_for_one(World* world, char name, model::SessionConfig config) {
  Result<SandboxPtr> got =
      co_await world->pool->next(SandboxId::make(), world->shell, std::move(config));
  world->served.emplace_back(name, got ? (*got)->id() : SandboxId());
}

Task<void> until_asked(World* world, std::size_t count) {
  while (world->node.making.size() < count) co_await async::yield_now();
}
Task<void> until_served(World* world, std::size_t count) {
  while (world->served.size() < count) co_await async::yield_now();
}

Task<void> set_up(Executor executor, std::uint32_t size, Task<void> (*body)(World*)) {
  OneTemplate templates(size);
  World world{.executor = executor};
  Pool pool(executor, templates, world.node,
            {.size = size, .check_interval = std::chrono::milliseconds(20), .memory = [] {
               return 1.0;
             }});
  world.pool = &pool;
  world.shell = templates.list().front();
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
  for (std::size_t number : {2, 0, 1}) ids.push_back(world->node.finish(world->asked(number)));
  co_await until_served(world, 3);
  EXPECT_EQ(world->served,
            (std::vector<std::pair<char, SandboxId>>{{'a', ids[0]}, {'b', ids[1]}, {'c', ids[2]}}));
}

Task<void> errors_in_order(World* world) {
  for (char name : {'a', 'b'}) world->sessions.spawn(wait_for_one(world, name, {}));
  co_await until_asked(world, 2);
  world->node.refuse(world->asked(1));
  co_await until_served(world, 1);
  SandboxId id = world->node.finish(world->asked(0));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served,
            (std::vector<std::pair<char, SandboxId>>{{'a', SandboxId()}, {'b', id}}));
}

// What the pool makes goes to the session that waits, and the session's own to the shelf, where the
// next one finds it.
Task<void> from_the_pool(World* world) {
  world->pool->start();
  co_await until_asked(world, 1);
  world->sessions.spawn(wait_for_one(world, 'a', {}));
  co_await until_asked(world, 2);
  SandboxId first = world->node.finish(world->asked(0));
  co_await until_served(world, 1);
  SandboxId second = world->node.finish(world->asked(1));
  while (world->pool->figures()["shell-default"].ready == 0) co_await async::yield_now();
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_served(world, 2);
  EXPECT_EQ(world->served, (std::vector<std::pair<char, SandboxId>>{{'a', first}, {'b', second}}));
  co_await until_asked(world, 3);  // the shelf is filled again
  world->pool->changed();
  for (auto& one : world->node.making) {
    if (!one.outcome) world->node.finish(one);
  }
}

// A launcher that hung and goes on: what failed meanwhile, however often, is made in the end.
Task<void> goes_on(World* world) {
  world->pool->start();
  for (std::size_t failed = 0; failed < 7; ++failed) {
    co_await until_asked(world, failed + 1);
    world->node.refuse(world->asked(failed));
  }
  co_await until_asked(world, 8);
  world->node.finish(world->asked(7));
  while (world->pool->figures()["shell-default"].ready == 0) co_await async::yield_now();
  EXPECT_NE(world->pool->claim(world->shell, {}), nullptr);
  co_await until_asked(world, 9);
  world->node.finish(world->asked(8));
}

// Whoever comes while others wait does not get ahead of them.
Task<void> newcomers(World* world) {
  world->sessions.spawn(wait_for_one(world, 'a', {}));
  co_await until_asked(world, 1);
  EXPECT_EQ(world->pool->claim(world->shell, {}), nullptr);
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_asked(world, 2);
  SandboxId second = world->node.finish(world->asked(1));
  SandboxId first = world->node.finish(world->asked(0));
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
  SandboxId id = world->node.finish(world->asked(0));
  co_await until_served(world, 1);
  EXPECT_EQ(world->served.back(), (std::pair<char, SandboxId>{'a', id}));
  world->node.finish(world->asked(1));
}

// Other limits than the template's: a sandbox of its own, with the id that was asked for.
Task<void> own_limits(World* world) {
  model::SessionConfig config;
  config.resources.memory = 64;
  world->sessions.spawn(wait_for_one(world, 'a', config));
  world->sessions.spawn(wait_for_one(world, 'b', {}));
  co_await until_asked(world, 2);
  SandboxId second = world->node.finish(world->asked(1));
  co_await until_served(world, 1);
  SandboxId first = world->node.finish(world->asked(0));
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
