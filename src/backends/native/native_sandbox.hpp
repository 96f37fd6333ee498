// A sandbox behind Linux namespaces: the launcher builds it, the guest inside does the rest.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/native/launcher_client.hpp"
#include "sandbox/defaults.hpp"
#include "sandbox/guest_sandbox.hpp"
#include "sandbox/spec.hpp"
#include "sandbox/tokens.hpp"

namespace atl::backends::native {

class NativeSandbox final : public sandbox::GuestSandbox, public sandbox::KeepsDefaults {
 public:
  // A new one; start() builds it.
  NativeSandbox(async::Executor executor, std::shared_ptr<LauncherClient> launcher,
                sandbox::Tokens tokens, std::string run_folder, bool once,
                sandbox::SandboxSpec spec);
  // One that lives already.
  NativeSandbox(async::Executor executor, std::shared_ptr<LauncherClient> launcher,
                sandbox::Tokens tokens, std::string run_folder, SandboxId id, guest::Token token,
                std::uint32_t walls);

  void set_defaults(std::map<std::string, std::string> env, std::string cwd) override;
  void set_known_limits(const sandbox::Limits& limits) override { spec_.limits = limits; }
  const std::string& cwd() const override { return cwd_; }
  async::Task<Result<std::unique_ptr<sandbox::Process>>> spawn(
      sandbox::ExecRequest request) override;
  async::Task<Result<void>> start() override;
  async::Task<Result<void>> stop() override;
  bool is_running() const override;
  sandbox::Status status() const override;
  async::Task<Result<sandbox::Usage>> usage() override;
  async::Task<Result<void>> pause() override;
  async::Task<Result<void>> resume() override;
  async::Task<Result<void>> change_limits(sandbox::Limits limits) override;
  async::Task<Result<sandbox::EgressSockets>> open_egress() override;

 protected:
  async::Task<Result<sandbox::GuestLink>> open_link() override;
  async::Task<bool> was_out_of_memory() override;

 private:
  async::Task<Result<void>> freeze(bool frozen);

  std::shared_ptr<LauncherClient> launcher_;
  sandbox::Tokens tokens_;
  std::string run_folder_;
  bool once_ = false;  // ends with this process, so stop() need not see it gone
  sandbox::SandboxSpec spec_;
  std::map<std::string, std::string> env_;  // of programs, below what their requests say
  std::string cwd_;
  guest::Token token_{};
  UniqueFd connection_;  // of a sandbox that ends with this process: made with it, used once
  std::uint32_t walls_ = 0;
  bool has_zygote_ = false;
  std::uint64_t oom_kills_seen_ = 0;
  sandbox::State state_ = sandbox::State::kCreated;
};

}  // namespace atl::backends::native
