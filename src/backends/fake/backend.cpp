// The fake backend: one folder below the run folder for each sandbox.
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "backends/fake/fake_sandbox.hpp"
#include "base/program_folder.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {

namespace {

using async::Task;
using sandbox::BackendOptions;
using sandbox::Cap;
namespace fs = std::filesystem;

class FakeBackend final : public sandbox::Backend {
 public:
  FakeBackend(async::Executor executor, fs::path folder, std::string guest_program)
      : executor_(std::move(executor)),
        folder_(std::move(folder)),
        guest_program_(std::move(guest_program)) {}

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec spec) override {
    if (!spec.mounts.empty()) co_return fail(Code::kUnsupported, "the fake backend has no mounts");
    SandboxId id = spec.id.empty() ? SandboxId::make() : std::move(spec.id);
    co_return make(std::move(id));
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId id) override {
    std::unique_ptr<fake::FakeSandbox> found = make(std::move(id));
    ATOLL_CO_CHECK(found->find_again());
    co_return std::move(found);
  }

  Task<Result<std::vector<SandboxId>>> list() override {
    std::vector<SandboxId> ids;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      SandboxId id(entry.path().filename().string());
      if (make(id)->find_again()) ids.push_back(std::move(id));
    }
    co_return ids;
  }

 private:
  std::unique_ptr<fake::FakeSandbox> make(SandboxId id) {
    fs::path folder = folder_ / id.str();
    return std::make_unique<fake::FakeSandbox>(executor_, std::move(id), std::move(folder),
                                               guest_program_);
  }

  async::Executor executor_;
  fs::path folder_;
  std::string guest_program_;
};

Result<std::unique_ptr<sandbox::Backend>> make_fake(BackendOptions options) {
  std::error_code error;
  if (options.program_folder.empty()) {
    ATOLL_TRY(options.program_folder, program_folder());
  }
  fs::path guest = fs::path(options.program_folder) / "atoll-guest";
  if (::access(guest.c_str(), X_OK) != 0) return fail_errno("find atoll-guest");
  fs::path folder = options.run_folder;
  if (folder.empty())
    folder = fs::temp_directory_path() / ("atoll-fake-" + std::to_string(::getuid()));
  fs::create_directories(folder, error);
  if (error) return fail_errno("make run folder", error.value());
  return std::make_unique<FakeBackend>(std::move(options.executor), std::move(folder),
                                       guest.string());
}

}  // namespace

void register_fake(sandbox::Registry& registry);

void register_fake(sandbox::Registry& registry) {
  registry.add({.name = "fake",
                .status = sandbox::Maturity::kExperimental,
                .isolation = sandbox::IsolationKind::kNone,
                .caps = {Cap::kExec, Cap::kGuest, Cap::kStdin, Cap::kSignals, Cap::kTerminal,
                         Cap::kFiles, Cap::kWatch, Cap::kConnect, Cap::kSnapshot, Cap::kUsage,
                         Cap::kReattach, Cap::kWritableRoot},
                .probe = [] { return Result<void>(); },
                .make = &make_fake});
}

}  // namespace atl::backends
