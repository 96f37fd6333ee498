// One line on stderr by one write of a stack buffer: no allocation, no locks. For places where
// nothing else is safe, such as between clone and execve. Longer lines are cut.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace atl {

inline void raw_log(std::string_view what, std::string_view more = {}) noexcept {
  char line[512];
  std::size_t used = 0;
  auto add = [&](std::string_view text) {
    std::size_t room = sizeof(line) - 1 - used;
    std::size_t count = text.size() < room ? text.size() : room;
    std::memcpy(line + used, text.data(), count);
    used += count;
  };
  add("atoll: ");
  add(what);
  add(more);
  line[used++] = '\n';
  // Nothing can be done about a stderr that takes no line.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line, used);
}

}  // namespace atl
