// Which of its backends a node watches: whoever loses one must be told, also of one that nobody has
// used yet.
#include <fcntl.h>

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/run.hpp"
#include "async/task_group.hpp"
#include "node/node.hpp"

namespace atl::node {
namespace {

using async::Executor;
using async::Task;
using sandbox::Backend;

struct Fate {
  bool lost = false;
  bool opened = false;
  async::Event changed;
};

class LosingBackend final : public Backend {
 public:
  explicit LosingBackend(Fate* fate) : fate_(fate) { fate_->opened = true; }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec) override {
    co_return fail(Code::kBackend, "none");
  }
  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId) override {
    co_return fail(Code::kNotFound, "none");
  }
  Task<Result<std::vector<SandboxId>>> list() override { co_return std::vector<SandboxId>(); }
  bool is_lost() const override { return fate_->lost; }
  Task<void> until_lost() override {
    while (!fate_->lost) co_await fate_->changed.wait();
  }

 private:
  Fate* fate_;
};

struct Ground {
  explicit Ground(Executor executor) {
    for (const char* name : {"first", "second", "third"}) {
      Fate* fate = &fates[name];
      registry.add({.name = name, .make = [fate](sandbox::BackendOptions) {
                      return Result<std::unique_ptr<Backend>>(
                          std::make_unique<LosingBackend>(fate));
                    }});
    }
    LocalNodeOptions options{.executor = std::move(executor), .default_backend = "first"};
    options.backends["second"].prepared.control.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    options.backends["third"];  // configured, and never prepared
    node = make_local_node(registry, std::move(options));
  }

  std::map<std::string, Fate> fates;
  sandbox::Registry registry;
  std::unique_ptr<Node> node;
};

Task<void> wait_for_loss(Node* node, bool* told) {
  co_await node->until_lost();
  *told = true;
}

void run(Task<void> (*body)(Executor)) {
  async::run_to_end<void>([body](Executor executor) { return body(executor); });
}

Task<void> loses(Executor executor, const char* which) {
  Ground ground(executor);
  async::TaskGroup tasks(executor);
  bool told = false;
  tasks.spawn(wait_for_loss(ground.node.get(), &told));
  for (int i = 0; i < 10; ++i) co_await async::yield_now();
  EXPECT_TRUE(ground.fates["first"].opened && ground.fates["second"].opened);
  EXPECT_FALSE(ground.fates["third"].opened);
  EXPECT_FALSE(told || ground.node->is_lost());
  ground.fates[which].lost = true;
  ground.fates[which].changed.notify_all();
  co_await tasks.wait_idle();
  EXPECT_TRUE(told && ground.node->is_lost());
  co_await ground.node->shut_down();
}

TEST(LocalNode, TellsOfTheLossOfItsDefaultBackend) {
  run([](Executor executor) { return loses(std::move(executor), "first"); });
}
TEST(LocalNode, TellsOfTheLossOfAnotherThatWasPrepared) {
  run([](Executor executor) { return loses(std::move(executor), "second"); });
}

}  // namespace
}  // namespace atl::node
