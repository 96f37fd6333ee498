// One container. The guest in it is its first process and listens on a socket in a folder of the
// host, so that a command costs what it costs natively and the engine is asked only for the walls.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/docker/shared.hpp"
#include "sandbox/guest_sandbox.hpp"

namespace atl::backends::docker {

class DockerSandbox final : public sandbox::GuestSandbox {
 public:
  DockerSandbox(async::Executor executor, std::shared_ptr<Shared> shared,
                sandbox::SandboxSpec spec);
  // One that runs already, as GET /containers/ID/json describes it; null while the engine is away.
  DockerSandbox(async::Executor executor, std::shared_ptr<Shared> shared, SandboxId id,
                guest::Token token, const Json& container);

  async::Task<Result<void>> start() override;
  async::Task<Result<void>> stop() override;
  bool is_running() const override;
  sandbox::Status status() const override;
  async::Task<Result<sandbox::Usage>> usage() override;
  async::Task<Result<void>> pause() override;
  async::Task<Result<void>> resume() override;
  async::Task<Result<void>> change_limits(sandbox::Limits limits) override;
  async::Task<Result<sandbox::EgressSockets>> open_egress() override;
  async::Task<Result<std::unique_ptr<sandbox::Process>>> spawn(
      sandbox::ExecRequest request) override;

 protected:
  async::Task<Result<sandbox::GuestLink>> open_link() override;
  async::Task<bool> was_out_of_memory() override;
  Result<void> answers() const override;

 private:
  async::Task<Result<void>> make_container();
  async::Task<Result<std::string>> find_image();
  async::Task<Result<ContainerPlan>> make_plan();
  async::Task<Result<PolicyMounts>> find_policy(std::string image);
  async::Task<Result<UniqueFd>> wait_for_guest();
  async::Task<Result<void>> ask_state();
  async::Task<Result<void>> freeze(bool frozen);
  async::Task<Error> why_gone(Error error);
  // From GET /containers/ID/json.
  void learn(const Json& container);
  std::string path() const;

  std::shared_ptr<Shared> shared_;
  sandbox::SandboxSpec spec_;
  guest::Token token_{};
  sandbox::State state_ = sandbox::State::kCreated;
  bool has_network_ = false;
  bool is_opened_ = false;  // its network, for egress
  bool writable_root_ = false;
  std::vector<std::string> caps_;
  std::string container_;  // its id: its name is anybody's to change who may speak to the engine
  std::string image_id_;
  std::vector<std::string> volumes_;  // these three as the image declares them
  std::map<std::string, std::string> env_;
  bool checks_health_ = false;
  UniqueFd connection_;  // the first one, until it is used
  std::int64_t pid_ = 0;
  std::uint64_t freezes_ = 0;  // begun and ended: what was asked between them may be stale
  std::uint64_t oom_kills_seen_ = 0;
};

}  // namespace atl::backends::docker
