// The bytes of one connection, plain or TLS, with deadlines that a Watchdog enforces for all
// connections of a server together. One reader and one writer at a time. Internal to http/.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/tls.hpp"

namespace atl::http {

using async::Deadline;
using async::Task;

class Wire;

// Looks at all its wires a few times a second: cheaper than a timer for every read.
class Watchdog {
 public:
  // For ever; to be cancelled.
  static Task<void> run(std::shared_ptr<Watchdog> self, std::chrono::milliseconds period);

 private:
  friend class Wire;
  void add(Wire& wire);
  void remove(Wire& wire);

  std::vector<Wire*> wires_;
  async::Event changed_;
};

class Wire {
 public:
  Wire(const async::Executor& executor, UniqueFd fd, std::shared_ptr<Watchdog> watchdog = nullptr);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  // The handshake; `server_name` only matters to clients.
  Task<Result<void>> start_tls(TlsContext context, std::string server_name);
  bool is_tls() const { return tls_ != nullptr; }
  const UniqueFd& fd() const { return stream_.fd(); }

  // Without waiting: nullopt when it would block.
  Result<std::optional<std::size_t>> try_read(std::span<char> into);
  Result<std::optional<std::size_t>> try_write(std::span<const iovec> from);
  // Writes what it can and moves `buffers` on; true when nothing is left.
  Result<bool> try_write_all(std::span<iovec>& buffers);
  // Until a try_ call may get further; kTransferTimeout when the deadline came first.
  Task<Result<void>> readable();
  Task<Result<void>> writable();

  // At least one byte, or 0 at the end.
  Task<Result<std::size_t>> read_some(std::span<char> into);
  // The bytes and the array must stay; the array is changed.
  Task<Result<void>> write_all(std::span<iovec> buffers);
  Task<Result<void>> write_all(std::string_view bytes);

  // Whether much was moved without ever waiting: time to let others run, by breathe().
  bool is_greedy() const { return moved_ > kBreath; }
  Task<void> breathe();

  // How long one wait may last; zero for ever. Watched by the Watchdog, if there is one.
  void set_times(std::chrono::milliseconds read, std::chrono::milliseconds write);
  // Reads must be over by then, however many they are.
  void set_read_deadline(Deadline deadline) { read_deadline_ = deadline; }
  // As if the deadline had come: pending and later waits fail.
  void expire();
  bool expired() const { return expired_; }

  void cancel() { stream_.cancel(); }
  void shutdown_write();

 private:
  static constexpr std::size_t kBreath = 1024 * 1024;
  friend class Watchdog;
  Task<Result<void>> wait(bool write, Deadline due);
  Deadline due(bool write) const;

  async::Stream stream_;
  std::unique_ptr<TlsSession> tls_;
  std::shared_ptr<Watchdog> watchdog_;
  std::size_t place_ = 0;  // in the watchdog's list
  std::chrono::milliseconds read_time_{0}, write_time_{0};
  Deadline read_deadline_ = async::kNoDeadline;
  Deadline read_due_ = async::kNoDeadline, write_due_ = async::kNoDeadline;  // of pending waits
  bool drained_ = false;  // the last read left nothing behind: wait before the next
  bool expired_ = false;
  std::size_t moved_ = 0;  // since the last wait
};

}  // namespace atl::http
