// One sandbox of the fake backend: a folder with a workspace, a socket, a token and a pid.
#pragma once

#include <filesystem>
#include <string>

#include "base/child.hpp"
#include "sandbox/guest_sandbox.hpp"

namespace atl::backends::fake {

class FakeSandbox final : public sandbox::GuestSandbox {
 public:
  FakeSandbox(async::Executor executor, SandboxId id, std::filesystem::path folder,
              std::string guest_program);
  // The guest goes on: whoever comes back finds it by its folder.
  ~FakeSandbox() override;

  // Takes over a guest that an earlier object started.
  Result<void> find_again();

  std::string workspace() const override { return (folder_ / "workspace").string(); }
  std::vector<std::string> writable_folders() const override { return {workspace()}; }
  async::Task<Result<void>> start() override;
  async::Task<Result<void>> stop() override;
  bool is_running() const override;
  sandbox::Status status() const override;
  async::Task<Result<sandbox::Usage>> usage() override;
  async::Task<Result<void>> pause() override;
  async::Task<Result<void>> resume() override;

 protected:
  async::Task<Result<sandbox::GuestLink>> open_link() override;

 private:
  std::filesystem::path folder_;
  std::string guest_program_;
  guest::Token token_{};
  pid_t pid_ = 0;
  Child guest_;
};

}  // namespace atl::backends::fake
