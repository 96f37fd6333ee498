// For tests of the pool: makes no sandbox until the test says so.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/event.hpp"
#include "contexts/test_sandbox.hpp"
#include "node/pool.hpp"

namespace atl::node {

using async::Task;

// One that the test can let die.
class PoolSandbox final : public contexts::TestSandbox {
 public:
  bool alive = true;
  int stops = 0;

  bool is_running() const override { return alive; }
  Task<Result<void>> stop() override {
    ++stops;
    co_return Result<void>();
  }
};

class TestMaker final : public PoolMaker {
 public:
  struct Making {
    SandboxId id;
    std::string template_id;
    std::optional<Result<SandboxPtr>> outcome;
    async::Event over;
  };
  std::list<Making> making;  // in the order in which they were asked for

  SandboxId finish(Making& one) {
    auto sandbox = std::make_shared<PoolSandbox>();
    SandboxId id = sandbox->id();
    one.outcome = SandboxPtr(std::move(sandbox));
    one.over.notify_all();
    return id;
  }
  void refuse(Making& one) {
    one.outcome = fail(Code::kBackend, "no");
    one.over.notify_all();
  }

  Result<void> check(const model::Template& origin, const model::SessionConfig&) const override {
    if (origin.id != "impossible") return {};
    return fail(Code::kUnsupportedBackend, "not here");
  }
  Task<Result<SandboxPtr>> make_new(SandboxId id, TemplatePtr origin,
                                    model::SessionConfig) override {
    Making& mine = making.emplace_back();
    mine.id = std::move(id);
    mine.template_id = origin->id;
    while (!mine.outcome) co_await mine.over.wait();
    co_return *mine.outcome;
  }
  bool can_change_limits(const model::Template&) const override { return false; }
  Task<Result<void>> prepare(TemplatePtr) override { co_return Result<void>(); }
};

inline TemplatePtr shell_template(std::uint32_t pool_size, std::string id = "shell-default") {
  model::Template shell;
  shell.id = std::move(id);
  shell.spec.pool = pool_size;
  return std::make_shared<const model::Template>(std::move(shell));
}

}  // namespace atl::node
