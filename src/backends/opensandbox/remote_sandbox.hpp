// A Sandbox behind an OpenSandbox server: every operation is a call of its HTTP API, for there is
// no guest of ours inside. Renews itself while it lives and notices when the server has lost it.
// One I/O thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task_group.hpp"
#include "backends/opensandbox/execd.hpp"
#include "backends/opensandbox/execution.hpp"
#include "backends/opensandbox/lifecycle.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::backends::opensandbox {

class RemoteSandbox final : public sandbox::Sandbox {
 public:
  RemoteSandbox(async::Executor executor, std::shared_ptr<Lifecycle> lifecycle,
                sandbox::SandboxSpec spec);
  ~RemoteSandbox() override;

  // Finds what an earlier process made instead of making it. kNotFound.
  async::Task<Result<void>> find_again();

  const SandboxId& id() const override { return spec_.id; }
  async::Task<Result<void>> start() override;
  async::Task<Result<void>> stop() override;
  bool is_running() const override {
    return shared_->state == sandbox::State::kRunning || paused();
  }
  sandbox::Status status() const override;
  async::Task<Result<sandbox::Usage>> usage() override;
  async::Task<Result<void>> pause() override;
  async::Task<Result<void>> resume() override;

  async::Task<Result<std::unique_ptr<sandbox::Process>>> spawn(
      sandbox::ExecRequest request) override;
  async::Task<Result<std::unique_ptr<sandbox::Process>>> attach(std::uint64_t exec_id) override;
  async::Task<Result<std::vector<sandbox::ExecutionInfo>>> executions() override;
  async::Task<Result<std::vector<sandbox::ProcessInfo>>> processes() override;

  using Sandbox::get_file;
  using Sandbox::list;
  async::Task<Result<std::unique_ptr<sandbox::ByteStream>>> put_file(std::string path,
                                                                     std::uint32_t mode) override;
  async::Task<Result<std::unique_ptr<sandbox::ByteStream>>> get_file(std::string path,
                                                                     std::uint64_t offset,
                                                                     std::uint64_t length) override;
  async::Task<Result<std::unique_ptr<sandbox::ByteStream>>> put_tree(std::string path) override;
  async::Task<Result<std::unique_ptr<sandbox::ByteStream>>> get_tree(std::string path) override;
  async::Task<Result<sandbox::FileInfo>> stat(std::string path) override;
  async::Task<Result<std::vector<sandbox::FileInfo>>> list(std::string path, std::uint32_t depth,
                                                           std::size_t most) override;
  async::Task<Result<void>> make_dir(std::string path, std::uint32_t mode, bool parents) override;
  async::Task<Result<void>> move(std::string from, std::string to, bool overwrite) override;
  async::Task<Result<void>> remove(std::string path, bool recursive) override;
  async::Task<Result<void>> chmod(std::string path, std::uint32_t mode) override;
  async::Task<Result<std::vector<sandbox::FileInfo>>> search(guest::SearchArgs args) override;
  async::Task<Result<std::unique_ptr<sandbox::Watch>>> watch(std::string path,
                                                             bool recursive) override;
  async::Task<Result<std::unique_ptr<sandbox::ByteStream>>> connect(std::uint16_t port) override;

 private:
  // Outlives the sandbox as long as a task of it does.
  struct Shared {
    sandbox::State state = sandbox::State::kCreated;
    std::string remote_id;
    std::shared_ptr<Execd> execd;
    std::map<std::uint64_t, std::shared_ptr<Execution>> executions;
    std::uint64_t next_id = 1;
    sandbox::Usage at_pause;  // a frozen sandbox cannot be asked, and uses nothing more
    std::string why_stopped = "the sandbox is not running";

    void end(std::string why);
  };

  bool paused() const { return shared_->state == sandbox::State::kPaused; }
  static async::Task<void> keep_alive(std::shared_ptr<Shared> shared,
                                      std::shared_ptr<Lifecycle> lifecycle);
  static async::Task<bool> agent_refuses(std::shared_ptr<Shared> shared);
  async::Task<Result<void>> make_ready(std::string remote_id);
  async::Task<Result<void>> ping_until_ready();
  // kNotStarted, kConflict while it is paused.
  Result<std::shared_ptr<Execd>> agent() const;
  Result<std::string> absolute(std::string_view path) const;
  // Runs `body` with these words; its exit code 0, or the Error that its complaint tells of.
  async::Task<Result<std::string>> tool(std::string script);

  async::Executor executor_;
  std::shared_ptr<Lifecycle> lifecycle_;
  sandbox::SandboxSpec spec_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::shared_ptr<async::TaskGroup> tasks_;
};

}  // namespace atl::backends::opensandbox
