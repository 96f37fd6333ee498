#include "control/test_backend.hpp"

#include <memory>
#include <utility>

#include "contexts/test_sandbox.hpp"

namespace atl::control::test {

namespace {

using async::Task;

class StepsSandbox final : public contexts::TestSandbox {
 public:
  explicit StepsSandbox(Steps* steps) : steps_(steps) {}

  Task<Result<void>> start() override { co_return Result<void>(); }
  Task<Result<void>> stop() override {
    ++steps_->stopped;
    co_return Result<void>();
  }
  bool is_running() const override { return !steps_->gone; }
  sandbox::Status status() const override {
    return {.state = steps_->frozen ? sandbox::State::kPaused : sandbox::State::kRunning};
  }
  Task<Result<sandbox::Usage>> usage() override { co_return sandbox::Usage(); }
  Task<Result<void>> change_limits(sandbox::Limits) override {
    ++steps_->limits;
    while (steps_->hold_limits) co_await steps_->changed.wait();
    if (steps_->fail_limits) co_return fail(Code::kBackend, "the limits cannot be changed");
    co_return Result<void>();
  }
  Task<Result<void>> pause() override { return freeze(true); }
  Task<Result<void>> resume() override { return freeze(false); }

 private:
  Task<Result<void>> freeze(bool frozen) {
    ++steps_->freezes;
    while (steps_->hold_freeze) co_await steps_->changed.wait();
    if (steps_->fail_freeze) co_return fail(Code::kBackend, "the sandbox cannot be paused");
    steps_->frozen = frozen;
    co_return Result<void>();
  }

  Steps* steps_;
};

class StepsBackend final : public sandbox::Backend {
 public:
  explicit StepsBackend(Steps* steps) : steps_(steps) {}

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec spec) override {
    ++steps_->created;
    steps_->there.insert(spec.id.str());
    while (steps_->hold_create) co_await steps_->changed.wait();
    if (steps_->fail_create) co_return fail(Code::kBackend, "no sandbox today");
    co_return std::make_unique<StepsSandbox>(steps_);
  }
  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId id) override {
    if (steps_->forgets) co_return fail(Code::kNotFound, "there is no such sandbox");
    steps_->found.push_back(id.str());
    co_return std::make_unique<StepsSandbox>(steps_);
  }
  Task<Result<std::vector<SandboxId>>> list() override {
    while (steps_->hold_list) co_await steps_->changed.wait();
    std::vector<SandboxId> all;
    for (const std::string& id : steps_->there) all.emplace_back(id);
    co_return all;
  }
  Task<Result<void>> destroy(SandboxId id) override {
    steps_->destroyed.push_back(id.str());
    ++steps_->stopped;
    co_return Result<void>();
  }

 private:
  Steps* steps_;
};

}  // namespace

void register_steps(sandbox::Registry& registry, Steps* steps) {
  registry.add(
      {.name = "steps",
       .caps = {sandbox::Cap::kReattach, sandbox::Cap::kLimits},
       .probe = [] { return Result<void>(); },
       .make = [steps](sandbox::BackendOptions) -> Result<std::unique_ptr<sandbox::Backend>> {
         return std::make_unique<StepsBackend>(steps);
       }});
}

}  // namespace atl::control::test
