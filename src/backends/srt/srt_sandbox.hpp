// A sandbox behind srt: its folder, one srt process, and a guest inside that lives as long as the
// stream to it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "async/pool.hpp"
#include "backends/srt/cgroup.hpp"
#include "backends/srt/process.hpp"
#include "backends/srt/settings.hpp"
#include "sandbox/guest_sandbox.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::srt {

// What all sandboxes of a backend share.
struct Host {
  Package package;
  std::string guest;
  std::string base_settings;        // text of the operator's file, or empty
  std::vector<std::string> hidden;  // the data folder, the home
  std::string data_folder;          // of the server; empty: there is none
  std::string folder;               // of the sandboxes, by id
  std::string short_folder;         // of their sockets, where that one's path is too long
  async::Pool pool{2};              // for what blocks

  Folder folder_of(const SandboxId& id) const;
};

// Gives whatever is left of it a moment to end, kills it, and removes its folder and its group.
// Blocks.
Result<void> end_sandbox(const Folder& folder, std::chrono::milliseconds grace);
// For srt to notice that its stream has ended, and to tidy up.
inline constexpr std::chrono::milliseconds kGrace{3000};

class SrtSandbox final : public sandbox::GuestSandbox {
 public:
  SrtSandbox(async::Executor executor, std::shared_ptr<Host> host, sandbox::SandboxSpec spec);
  ~SrtSandbox() override;

  std::string workspace() const override { return folder_.workspace(); }
  std::vector<std::string> writable_folders() const override;
  async::Task<Result<void>> start() override;
  async::Task<Result<void>> stop() override;
  bool is_running() const override;
  sandbox::Status status() const override;
  async::Task<Result<sandbox::Usage>> usage() override;
  async::Task<Result<void>> pause() override;
  async::Task<Result<void>> resume() override;
  async::Task<Result<void>> change_limits(sandbox::Limits limits) override;
  async::Task<Result<std::unique_ptr<sandbox::Process>>> spawn(
      sandbox::ExecRequest request) override;

 protected:
  async::Task<Result<sandbox::GuestLink>> open_link() override;
  async::Task<bool> was_out_of_memory() override;

 private:
  async::Task<Result<void>> wait_for_guest();
  async::Task<void> end_srt();
  async::Task<Result<void>> limit_guest();

  std::shared_ptr<Host> host_;
  sandbox::SandboxSpec spec_;
  Folder folder_;
  Started srt_;
  Cgroup cgroup_;
  std::uint64_t oom_kills_seen_ = 0;
  sandbox::State state_ = sandbox::State::kCreated;
};

}  // namespace atl::backends::srt
