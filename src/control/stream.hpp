// Something long, piece by piece: a download, an upload's body, the output of an execution, events
// of sessions, changes of files. Its opener chooses where to begin; destroying it gives it up
// and nothing else.
//
// It is a template, because a piece is what the reader needs and not always bytes: an event that
// the stream keeps is given as a pointer to it (output of executions, events of sessions), so that
// none is copied for each reader.
#pragma once

#include <cstdint>
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
  // Nothing at the end, also when it is asked again. Cancellable: no piece is lost, and the next
  // call goes on.
  virtual async::Task<Result<std::optional<T>>> next() = 0;
  // How far it has come: opened again from there, it goes on behind what was given. The number of
  // the last event, or bytes; 0 also where nothing can be resumed (archives, changes of files).
  virtual std::uint64_t position() const { return 0; }
};

using ByteSource = Stream<std::string>;  // no piece is empty

}  // namespace atl::control
