// One isolated environment and the executions in it, whatever its walls are. Called on the I/O
// thread that made it; every call is a coroutine that ends with a value or an Error, and references
// stay valid until it has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/messages.hpp"
#include "sandbox/spec.hpp"

namespace atl::sandbox {

using FileInfo = guest::FileInfo;
using ProcessInfo = guest::ProcessInfo;
using WatchEvent = guest::WatchEvent;

enum class OutputStream { kStdout, kStderr, kControl, kEnd };
struct OutputChunk {
  OutputStream stream = OutputStream::kEnd;
  std::string bytes;
};

// A running execution. Dropping it detaches: the program goes on, its unread output is bounded.
class Process {
 public:
  virtual ~Process() = default;
  virtual std::uint64_t exec_id() const = 0;
  virtual int pid() const = 0;
  // The next output, in order of arrival; kEnd once all streams ended. A caller that does not read
  // makes the program wait, and nothing grow.
  virtual async::Task<Result<OutputChunk>> read() = 0;
  virtual async::Task<Result<void>> write_stdin(std::string bytes) = 0;
  virtual async::Task<Result<void>> close_stdin() = 0;
  // The reader is done with so many bytes of the control stream. Until then the guest keeps them, a
  // window at most, and whoever attaches later gets them again; other streams count as they are
  // read. The word leaves when half a window has come together, and with settle().
  virtual void acknowledge_control(std::size_t bytes) = 0;
  // Acknowledges everything that was read of stdout and stderr, and that of the control stream that
  // the reader is done with. Leaves with the next write.
  virtual void settle() = 0;
  // To the whole process group. SIGKILL reaches everything that the execution started, also after
  // its end when another signal was sent before.
  virtual async::Task<Result<void>> signal(int number) = 0;
  virtual async::Task<Result<void>> resize(TerminalSize size) = 0;
  // After kEnd: how it ended.
  virtual async::Task<Result<ExitStatus>> wait() = 0;
};

// Bytes both ways: a port inside, or the content of one file. read() gives an empty string at the
// end.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual async::Task<Result<std::string>> read() = 0;
  virtual async::Task<Result<void>> write(std::string bytes) = 0;
  virtual async::Task<Result<void>> finish() = 0;  // no more writes; waits for the other side's
                                                   // word
};

class Watch {
 public:
  virtual ~Watch() = default;
  virtual async::Task<Result<WatchEvent>> next() = 0;
};

struct ExecutionInfo {
  std::uint64_t exec_id = 0;
  int pid = 0;
  bool running = false;
  std::string command;
};

// Where a sandbox's connections and DNS queries arrive: every TCP connection out of it at the
// listener, whose accepted sockets' own address is the one that was meant, and every datagram for
// port 53 at `dns`. They keep the sandbox's network alive as long as they are held.
struct EgressSockets {
  UniqueFd listener;
  UniqueFd dns;
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;

  virtual const SandboxId& id() const = 0;
  virtual std::string workspace() const { return "/workspace"; }
  // What a snapshot holds.
  virtual std::vector<std::string> writable_folders() const { return {workspace(), "/tmp"}; }
  virtual async::Task<Result<void>> start() = 0;
  virtual async::Task<Result<void>> stop() = 0;  // everything in it is gone when this returns
  virtual bool is_running() const = 0;
  virtual Status status() const = 0;
  virtual async::Task<Result<Usage>> usage() = 0;
  virtual async::Task<Result<void>> pause() = 0;
  virtual async::Task<Result<void>> resume() = 0;
  // Memory, cpu and processes from now on; what else there is stays. kUnsupported where limits are
  // for good.
  virtual async::Task<Result<void>> change_limits(Limits limits);
  // Opens the network of a running sandbox to whoever holds these (atoll-egress). Before that there
  // is none inside. Again, with new sockets, when those before are closed. Of backends that declare
  // kNetworkPolicy.
  virtual async::Task<Result<EgressSockets>> open_egress();

  virtual async::Task<Result<std::unique_ptr<Process>>> spawn(ExecRequest request) = 0;
  virtual async::Task<Result<std::unique_ptr<Process>>> attach(std::uint64_t exec_id) = 0;
  virtual async::Task<Result<std::vector<ExecutionInfo>>> executions() = 0;
  virtual async::Task<Result<std::vector<ProcessInfo>>> processes() = 0;
  // spawn, feed stdin_data, collect both streams up to max_output_bytes each, wait.
  async::Task<Result<ExecResult>> exec(ExecRequest request);

  virtual async::Task<Result<std::unique_ptr<ByteStream>>> put_file(std::string path,
                                                                    std::uint32_t mode) = 0;
  // A part of it: so many bytes from `offset` on, or as many as there are.
  virtual async::Task<Result<std::unique_ptr<ByteStream>>> get_file(std::string path,
                                                                    std::uint64_t offset,
                                                                    std::uint64_t length) = 0;
  async::Task<Result<std::unique_ptr<ByteStream>>> get_file(std::string path);
  // A pack (guest/pack.hpp) of everything below `path`, into and out of the sandbox.
  virtual async::Task<Result<std::unique_ptr<ByteStream>>> put_tree(std::string path) = 0;
  virtual async::Task<Result<std::unique_ptr<ByteStream>>> get_tree(std::string path) = 0;
  virtual async::Task<Result<FileInfo>> stat(std::string path) = 0;
  // `most` entries at most, whichever the guest finds first.
  virtual async::Task<Result<std::vector<FileInfo>>> list(std::string path, std::uint32_t depth,
                                                          std::size_t most) = 0;
  async::Task<Result<std::vector<FileInfo>>> list(std::string path, std::uint32_t depth);
  virtual async::Task<Result<void>> make_dir(std::string path, std::uint32_t mode,
                                             bool parents) = 0;
  virtual async::Task<Result<void>> move(std::string from, std::string to, bool overwrite) = 0;
  virtual async::Task<Result<void>> remove(std::string path, bool recursive) = 0;
  virtual async::Task<Result<void>> chmod(std::string path, std::uint32_t mode) = 0;
  virtual async::Task<Result<std::vector<FileInfo>>> search(guest::SearchArgs args) = 0;
  virtual async::Task<Result<std::unique_ptr<Watch>>> watch(std::string path, bool recursive) = 0;
  virtual async::Task<Result<std::unique_ptr<ByteStream>>> connect(std::uint16_t port) = 0;

  // Whole small files; `get_text` refuses more than 64 MiB.
  async::Task<Result<void>> put_text(std::string path, std::string content,
                                     std::uint32_t mode = 0644);
  async::Task<Result<std::string>> get_text(std::string path);
  // The writable file system (workspace and /tmp) as bytes, piece by piece, and back. An empty
  // piece is the end; a failure of either side ends it.
  using PutPiece = std::function<async::Task<Result<void>>(std::string piece)>;
  using GetPiece = std::function<async::Task<Result<std::string>>()>;
  async::Task<Result<void>> snapshot(PutPiece put);
  async::Task<Result<void>> restore(GetPiece get);
};

}  // namespace atl::sandbox
