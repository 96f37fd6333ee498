// One run of a program, from its start until its result was collected. It belongs to the table in
// executions.hpp, not to a connection: a host may go and another (or the same) may attach later.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "guest/input.hpp"
#include "guest/messages.hpp"
#include "guest/output.hpp"
#include "guest/spawn.hpp"

namespace atl::guest {

class ExecChannel;

class Execution final : public InputOwner, Pollable {
 public:
  Execution(Loop& loop, std::uint64_t id, const ExecArgs& args, Spawned spawned);
  Execution(const Execution&) = delete;
  ~Execution() { loop_.forget(*this); }

  std::uint64_t id() const { return info_.exec_id; }
  pid_t pid() const { return pid_; }
  bool running() const { return running_; }
  bool tty() const { return tty_; }
  bool has_control() const { return has_control_; }
  const ExitInfo& exit_info() const { return info_; }
  const std::string& command() const { return command_; }

  // One reader at a time: a second one takes over.
  void attach(ExecChannel& channel);
  // `lost`: the connection broke, and its host may come back. Until then the program waits, a
  // while.
  void detach(const ExecChannel& channel, bool lost);
  bool attached() const { return channel_ != nullptr; }
  bool expects_reader() const { return attached() || hold_until_ns_ != UINT64_MAX; }
  // A host was sent everything including the exit. It may have died with it in its hands, so the
  // record stays for a while, but is listed only if that host's connection is gone.
  void set_delivered(std::uint64_t connection, std::uint32_t channel) {
    delivered_ = connection;
    delivered_channel_ = channel;
  }
  bool delivered_on(std::uint64_t connection) const { return delivered_ == connection; }
  std::uint32_t delivered_channel() const { return delivered_channel_; }

  Input& input() { return input_; }
  Output& output(std::uint8_t stream) {
    return stream == kStderr ? err_ : stream == kControl ? control_ : out_;
  }
  void output_changed();
  void input_consumed(std::size_t bytes) override;

  // errno on failure. SIGKILL to the whole group reaches everything that the execution started,
  // also behind the end of a program that was sent another signal before.
  bool send_signal(int signal, bool whole_group);
  void kill_group();
  bool resize(std::uint16_t rows, std::uint16_t cols);
  // Acts on what is due and returns when the next thing is (UINT64_MAX: nothing).
  std::uint64_t expire(std::uint64_t now_ns);
  void time_out();
  void ended(int wait_status, const rusage& usage);
  bool pipes_open() const { return out_.open() || err_.open(); }
  std::size_t kept_bytes() const {
    return out_.ring().size() + err_.ring().size() + control_.ring().size();
  }

 private:
  void on_events(std::uint32_t events) override;  // a notice of its end
  void kill_everything();

  Loop& loop_;
  UniqueFd notice_;
  pid_t pid_;
  bool tty_;
  bool background_;
  bool has_control_;
  bool running_ = true;
  std::uint64_t mark_ = 0;  // 0: not looked for yet
  std::uint64_t started_ns_;
  std::uint64_t deadline_ns_ = UINT64_MAX;
  std::uint64_t hold_until_ns_ = UINT64_MAX;  // nobody reads, but somebody may come back
  std::uint64_t delivered_ = 0;
  std::uint32_t delivered_channel_ = 0;
  std::string command_;
  ExitInfo info_;
  ExecChannel* channel_ = nullptr;
  UniqueFd master_;  // for resizing
  Input input_;
  Output out_;
  Output err_;
  Output control_;
};

}  // namespace atl::guest
