// One descriptor (socket, pipe, terminal, regular file) read and written without blocking the I/O
// thread. The calls are plain read and write; only when they would block does the event loop come
// in. One reader and one writer at a time. A Stream may be destroyed while an operation is pending:
// that one ends with kCancelled.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::async {

enum class FdKind {
  kSocket,  // never changed: every call says MSG_DONTWAIT
  kOwned,   // a pipe or terminal of ours: set to O_NONBLOCK
  kShared,  // inherited, like stdin: O_NONBLOCK would reach every process that shares it, so never
};

class Stream {
 public:
  Stream(Executor executor, UniqueFd fd, FdKind kind);
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  // At least one byte, or 0 at the end.
  Task<Result<std::size_t>> read_some(std::span<char> into);
  // The bytes must stay where they are until this returns.
  Task<Result<void>> write_all(std::string_view bytes);
  Task<Result<void>> write_all(std::span<const iovec> buffers);

  // Without waiting: nullopt when it would block.
  Result<std::optional<std::size_t>> try_read(std::span<const iovec> into);
  Result<std::optional<std::size_t>> try_write(std::span<const iovec> from);
  // Until a try_ call may get further.
  Task<Result<void>> readable();
  Task<Result<void>> writable();

  // Pending operations end with kCancelled.
  void cancel();
  // No more writes on a socket: the other side reads its end.
  void shutdown_write();
  void close();
  const UniqueFd& fd() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace atl::async
