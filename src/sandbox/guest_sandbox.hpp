// A Sandbox whose every operation is the guest protocol. A backend derives from it and supplies the
// walls: start, stop, status, usage, pause and resume, and how a byte stream to the guest is
// opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/stream.hpp"
#include "sandbox/guest_client.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::sandbox {

// A way to the guest. `write_side` only where the two directions are two descriptors.
struct GuestLink {
  async::Stream stream;
  guest::Token token{};
  std::optional<async::Stream> write_side;
};

class GuestSandbox : public Sandbox {
 public:
  ~GuestSandbox() override;
  const SandboxId& id() const override { return id_; }

  async::Task<Result<std::unique_ptr<Process>>> spawn(ExecRequest request) override;
  async::Task<Result<std::unique_ptr<Process>>> attach(std::uint64_t exec_id) override;
  async::Task<Result<std::vector<ExecutionInfo>>> executions() override;
  async::Task<Result<std::vector<ProcessInfo>>> processes() override;
  async::Task<Result<std::unique_ptr<ByteStream>>> put_file(std::string path,
                                                            std::uint32_t mode) override;
  using Sandbox::get_file;
  using Sandbox::list;
  async::Task<Result<std::unique_ptr<ByteStream>>> get_file(std::string path, std::uint64_t offset,
                                                            std::uint64_t length) override;
  async::Task<Result<std::unique_ptr<ByteStream>>> put_tree(std::string path) override;
  async::Task<Result<std::unique_ptr<ByteStream>>> get_tree(std::string path) override;
  async::Task<Result<FileInfo>> stat(std::string path) override;
  async::Task<Result<std::vector<FileInfo>>> list(std::string path, std::uint32_t depth,
                                                  std::size_t most) override;
  async::Task<Result<void>> make_dir(std::string path, std::uint32_t mode, bool parents) override;
  async::Task<Result<void>> move(std::string from, std::string to, bool overwrite) override;
  async::Task<Result<void>> remove(std::string path, bool recursive) override;
  async::Task<Result<void>> chmod(std::string path, std::uint32_t mode) override;
  async::Task<Result<std::vector<FileInfo>>> search(guest::SearchArgs args) override;
  async::Task<Result<std::unique_ptr<Watch>>> watch(std::string path, bool recursive) override;
  async::Task<Result<std::unique_ptr<ByteStream>>> connect(std::uint16_t port) override;

  // The guest answered on a working connection (connecting when there is none).
  async::Task<Result<void>> ping();

 protected:
  GuestSandbox(async::Executor executor, SandboxId id);

  // Connects to the guest; called when the first operation needs it and after a lost connection.
  // Must fail with kNotStarted while there is no sandbox.
  virtual async::Task<Result<GuestLink>> open_link() = 0;
  // Asked before every operation: a guest that is frozen with its sandbox would never answer.
  virtual Result<void> answers() const { return {}; }
  // Whether the kernel killed something here for lack of memory since the last question. Asked only
  // after a program died of SIGKILL before its time.
  virtual async::Task<bool> was_out_of_memory();

  // Connects now, without waiting for the guest's answer: the socket listens before the guest runs.
  async::Task<Result<void>> connect_guest();
  // Ends every operation in flight; for stop().
  void drop_guest();
  const async::Executor& executor() const { return executor_; }

 private:
  friend class GuestProcess;
  async::Task<Result<GuestClient*>> client();
  async::Task<Result<GuestChannel>> open(guest::Op op, std::string arguments);
  async::Task<Result<void>> call(guest::Op op, std::string arguments);
  async::Task<Result<std::unique_ptr<Process>>> started(GuestChannel channel);

  async::Executor executor_;
  SandboxId id_;
  std::unique_ptr<GuestClient> client_;
  std::shared_ptr<GuestSandbox*> self_;  // a Process looks here whether its sandbox still exists
};

}  // namespace atl::sandbox
