// A running execution behind the guest protocol.
#pragma once

#include <memory>

#include "sandbox/guest_client.hpp"
#include "sandbox/guest_sandbox.hpp"

namespace atl::sandbox {

class GuestProcess final : public Process {
 public:
  GuestProcess(GuestChannel channel, guest::ExecStarted facts, std::weak_ptr<GuestSandbox*> sandbox)
      : channel_(std::move(channel)), facts_(facts), sandbox_(std::move(sandbox)) {}

  std::uint64_t exec_id() const override { return facts_.exec_id; }
  int pid() const override { return facts_.pid; }
  async::Task<Result<OutputChunk>> read() override;
  async::Task<Result<void>> write_stdin(std::string bytes) override;
  async::Task<Result<void>> close_stdin() override;
  void acknowledge_control(std::size_t bytes) override { channel_.acknowledge_control(bytes); }
  void settle() override { channel_.settle(); }
  async::Task<Result<void>> signal(int number) override;
  async::Task<Result<void>> resize(TerminalSize size) override;
  async::Task<Result<ExitStatus>> wait() override;

 private:
  Result<GuestSandbox*> sandbox() const;

  GuestChannel channel_;
  guest::ExecStarted facts_;
  std::weak_ptr<GuestSandbox*> sandbox_;
};

}  // namespace atl::sandbox
