// Which process a message means, for the calls of process.Process.
#pragma once

#include <optional>
#include <string>

#include "api/e2b/call.hpp"

namespace atl::api::e2b {

struct Selected {
  ExecutionId id;
  int pid = 0;
  bool running = true;  // false: it has ended, but is remembered
  bool terminal = false;
};

// By the member `process` of a message. kNotFound.
Task<Answer<Selected>> select_process(Call call, const object* message);
// The size in the member `pty`; nothing when there is none.
Answer<std::optional<control::TerminalSize>> size_of(const object& message);

}  // namespace atl::api::e2b
