#include "sandbox/heap_options.hpp"

#include <algorithm>

namespace atl::sandbox {

std::map<std::string, std::string> heap_options(std::uint64_t memory_bytes) {
  // What Node.js takes besides: its program, new objects, compiled code.
  constexpr std::uint64_t kMegabyte = 1 << 20, kNodeItself = 64;
  std::uint64_t limit = std::max(memory_bytes / kMegabyte, std::uint64_t{1});
  std::uint64_t rest = limit - std::min(limit, kNodeItself);
  std::uint64_t objects = std::max({rest * 3 / 4, limit / 4, std::uint64_t{1}});
  return {
      {"JAVA_TOOL_OPTIONS", "-XX:MaxRAM=" + std::to_string(limit) + "m -XX:MaxRAMPercentage=50"},
      {"NODE_OPTIONS", "--max-old-space-size=" + std::to_string(objects)}};
}

}  // namespace atl::sandbox
