// Something long, piece by piece: a download, an upload's body, changes of files. Whoever opens it
// says where to begin. Destroying it gives it up.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "base/result.hpp"

namespace atl::control {

template <typename T>
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;
  // Nothing at the end. Cancellable: no piece is lost, and the next call goes on.
  virtual async::Task<Result<std::optional<T>>> next() = 0;
};

using ByteSource = Stream<std::string>;  // no piece is empty

}  // namespace atl::control
