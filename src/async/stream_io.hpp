// The system calls under Stream: how each kind of descriptor is read and written without blocking.
// Internal to async/.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <optional>
#include <span>

#include "async/stream.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::async {

class StreamIo {
 public:
  StreamIo(const UniqueFd& fd, FdKind kind);

  Result<std::optional<std::size_t>> read(const UniqueFd& fd, std::span<const iovec> into);
  Result<std::optional<std::size_t>> write(const UniqueFd& fd, std::span<const iovec> from);
  // The descriptor keeps its flags, so it must be watched from a distance (Watcher in stream.cpp).
  bool is_shared() const { return way_ == Way::kSharedPipe || way_ == Way::kSharedOther; }
  bool always_ready() const { return way_ == Way::kFile; }

 private:
  enum class Way { kSocket, kNonBlocking, kSharedPipe, kSharedOther, kFile };
  Way way_ = Way::kNonBlocking;
  bool nowait_works_ = true;  // pipes know RWF_NOWAIT since Linux 6.4
};

}  // namespace atl::async
