// The bytes of a connection that no longer speaks HTTP: after 101, or a docker attach. Closes when
// destroyed. One reader and one writer at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"

namespace atl::http {

using async::Task;

class RawStream {
 public:
  virtual ~RawStream() = default;

  // At least one byte, or 0 at the end.
  virtual Task<Result<std::size_t>> read_some(std::span<char> into) = 0;
  // The bytes must stay where they are until this returns.
  virtual Task<Result<void>> write(std::string_view bytes) = 0;
  // No more writes: the other side reads its end. Reading goes on (not over TLS).
  virtual void shutdown_write() = 0;
  virtual void cancel() = 0;
};

}  // namespace atl::http
