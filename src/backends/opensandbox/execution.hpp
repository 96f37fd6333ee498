// A program in a remote sandbox and the event stream that tells of it. A task of the sandbox reads
// the stream at all times; a Process is only a reader of what has come. Shared by both; one I/O
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "backends/opensandbox/events.hpp"
#include "backends/opensandbox/execd.hpp"
#include "backends/opensandbox/marks.hpp"
#include "base/result.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::backends::opensandbox {

class Execution {
 public:
  Execution(std::uint64_t id, std::string command, std::string_view mark,
            std::chrono::milliseconds timeout)
      : id_(id), command_(std::move(command)), marks_(mark), timeout_(timeout) {}

  // Reads the stream to its end. Spawn it once.
  static async::Task<void> follow(std::shared_ptr<Execution> self, http::ClientResponse stream);

  std::uint64_t id() const { return id_; }
  int pid() const { return marks_.pid(); }
  const std::string& command() const { return command_; }
  bool ended() const { return ended_; }
  // Its end has been told to somebody.
  bool seen() const { return seen_; }

  // Until the program runs, or why it does not.
  async::Task<Result<void>> started();
  async::Task<Result<sandbox::OutputChunk>> read();
  async::Task<Result<sandbox::ExitStatus>> wait();
  // A signal of ours is on its way: what it looks like from here.
  void signalled(int number) { signal_sent_ = number; }
  // Nobody reads: what comes is dropped until somebody does.
  void set_reader(bool there);
  void lose(Error why);

 private:
  static constexpr std::size_t kMaxBuffered = 1024 * 1024;

  bool take(StreamEvent event);  // true: the last one
  void put(sandbox::OutputStream stream, std::string bytes);
  void finish(const StreamEvent& event);

  std::uint64_t id_;
  std::string command_;
  Marks marks_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  EventReader events_;
  std::deque<sandbox::OutputChunk> chunks_;
  std::size_t buffered_ = 0;
  bool reader_ = true;
  bool ended_ = false;
  bool seen_ = false;
  int signal_sent_ = 0;
  sandbox::ExitStatus status_;
  std::optional<Error> lost_;
  async::Event changed_;
};

// The caller's end of an Execution.
std::unique_ptr<sandbox::Process> make_process(std::shared_ptr<Execution> execution,
                                               std::shared_ptr<Execd> execd);

}  // namespace atl::backends::opensandbox
