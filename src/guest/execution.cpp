#include "guest/execution.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>

#include "guest/exec_channel.hpp"
#include "guest/server.hpp"
#include "guest/sweep.hpp"
#include "guest/zygote.hpp"

namespace atl::guest {
namespace {

constexpr std::size_t kMaxCommand = 256;
constexpr std::uint64_t kHoldTime = 30'000'000'000;  // ns; a restarted server is back by then

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

Execution::Execution(Loop& loop, std::uint64_t id, const ExecArgs& args, Spawned spawned)
    : loop_(loop),
      notice_(std::move(spawned.notice)),
      pid_(spawned.pid),
      tty_((args.flags & ExecArgs::kTty) != 0),
      background_((args.flags & ExecArgs::kBackground) != 0),
      has_control_(spawned.control),
      started_ns_(spawned.started_ns),
      input_(loop, *this),
      out_(loop, *this),
      err_(loop, *this),
      control_(loop, *this) {
  info_.exec_id = id;
  if (args.timeout_ms != 0) deadline_ns_ = started_ns_ + std::uint64_t{args.timeout_ms} * 1'000'000;
  for (const std::string& word : args.argv) {
    if (!command_.empty()) command_ += ' ';
    command_.append(word, 0, kMaxCommand - std::min(kMaxCommand, command_.size()));
  }
  command_.resize(std::min(command_.size(), kMaxCommand));
  if (spawned.in) {
    input_.open(std::move(spawned.in), tty_           ? Input::Kind::kTerminal
                                       : has_control_ ? Input::Kind::kSocket
                                                      : Input::Kind::kPipe);
  } else {
    input_.close();
  }
  if (tty_) master_.reset(::fcntl(spawned.out.get(), F_DUPFD_CLOEXEC, 3));
  out_.open(std::move(spawned.out), tty_ ? Output::Kind::kTerminal : Output::Kind::kPipe);
  if (spawned.err) err_.open(std::move(spawned.err), Output::Kind::kPipe);
  if (has_control_) control_.open(std::move(spawned.control), Output::Kind::kSocket);
  if (notice_) loop_.add(notice_.get(), EPOLLIN | EPOLLET, *this);
}

void Execution::attach(ExecChannel& channel) {
  if (channel_ != nullptr) channel_->taken_over();
  channel_ = &channel;
  hold_until_ns_ = UINT64_MAX;
  out_.rewind();
  err_.rewind();
  control_.rewind();
}

void Execution::detach(const ExecChannel& channel, bool lost) {
  if (channel_ != &channel) return;
  channel_ = nullptr;
  if (lost && !background_) {
    hold_until_ns_ = now_ns() + kHoldTime;
    return;
  }
  out_.pump();  // whatever was held back for a reader is dropped now
  err_.pump();
}

std::uint64_t Execution::expire(std::uint64_t now_ns) {
  if (running_ && deadline_ns_ <= now_ns) time_out();
  if (hold_until_ns_ <= now_ns) {
    hold_until_ns_ = UINT64_MAX;
    out_.pump();
    err_.pump();
  }
  return std::min(running_ ? deadline_ns_ : UINT64_MAX, hold_until_ns_);
}

void Execution::output_changed() {
  if (channel_ != nullptr) channel_->wake();
}

void Execution::input_consumed(std::size_t bytes) {
  if (channel_ != nullptr) channel_->input_consumed(bytes);
}

bool Execution::send_signal(int signal, bool whole_group) {
  bool everything = signal == SIGKILL && whole_group;
  if (!running_ && !(everything && mark_ != 0)) {
    errno = ESRCH;
    return false;
  }
  if (whole_group && mark_ == 0) mark_ = mark_of(pid_);
  if (everything) return kill_everything(), true;
  // The group of a program that leads none any more is empty; the program itself is still there.
  if (whole_group && ::kill(-pid_, signal) == 0) return true;
  return ::kill(pid_, signal) == 0;
}

bool Execution::resize(std::uint16_t rows, std::uint16_t cols) {
  winsize size{.ws_row = rows, .ws_col = cols, .ws_xpixel = 0, .ws_ypixel = 0};
  return ::ioctl(master_.get(), TIOCSWINSZ, &size) == 0;
}

void Execution::time_out() {
  info_.flags |= ExitInfo::kTimedOut;
  deadline_ns_ = UINT64_MAX;
  kill_everything();
}

void Execution::kill_group() {
  if (!running_) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

void Execution::kill_everything() {
  kill_group();
  if (running_ && mark_ == 0) mark_ = mark_of(pid_);
  if (mark_ != 0) kill_marked(mark_);
}

void Execution::on_events(std::uint32_t) {
  EndNotice said{};
  bool whole =
      ::recv(notice_.get(), &said, sizeof said, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof said);
  if (!whole || !running_) return;
  rusage usage{};
  usage.ru_utime = said.user;
  usage.ru_stime = said.system;
  usage.ru_maxrss = said.max_rss_kb;
  ended(static_cast<int>(said.exit_code & 0xff) << 8, usage);
}

void Execution::ended(int wait_status, const rusage& usage) {
  running_ = false;
  notice_.reset();
  if (WIFSIGNALED(wait_status)) {
    info_.signal = WTERMSIG(wait_status);
    info_.exit_code = 128 + info_.signal;
  } else {
    info_.exit_code = WEXITSTATUS(wait_status);
  }
  info_.user_us = microseconds(usage.ru_utime);
  info_.system_us = microseconds(usage.ru_stime);
  info_.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  info_.wall_us = (now_ns() - started_ns_) / 1000;
  master_.reset();
  input_.close();
  out_.program_ended();
  err_.program_ended();
  control_.program_ended();
  output_changed();
}

}  // namespace atl::guest
