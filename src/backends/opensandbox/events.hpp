// The event stream of a command: JSON objects, one a line, with or without the `data:` of
// server-sent events around them. Pure: bytes in, events out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::backends::opensandbox {

struct StreamEvent {
  std::string type;  // init, stdout, stderr, error, execution_complete, ping, …
  std::string text;
  std::string error_name;   // of `error`
  std::string error_value;  // its exit code, where the program had one
};

class EventReader {
 public:
  // One line of output is one event, so this bounds a line, escaped.
  static constexpr std::size_t kMaxEvent = 64u << 20;

  // kProtocol for what is no event; the stream is of no more use then.
  Result<std::vector<StreamEvent>> feed(std::string_view bytes);

 private:
  std::string line_;
  std::size_t searched_ = 0;
};

}  // namespace atl::backends::opensandbox
