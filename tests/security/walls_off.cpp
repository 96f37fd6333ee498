// The other answer to confine/walls.hpp, linked into the weak twins of the launcher and the guest
// and into nothing that ships. A wall named in ATOLL_TEST_WALLS_OFF is down; the guest is told the
// same. Called between clone and exec too: no allocation.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "confine/walls.hpp"

namespace atl::confine {
namespace {

constexpr std::string_view kVariable = "ATOLL_TEST_WALLS_OFF";

std::string_view walls_off() {
  const char* value = std::getenv(kVariable.data());
  return value != nullptr ? std::string_view(value) : std::string_view();
}

}  // namespace

bool wall_up(Wall wall) {
  std::string_view name = wall_name(wall);
  std::string_view list = walls_off();
  while (!list.empty()) {
    std::size_t end = list.find(',');
    if (list.substr(0, end) == name) {
      return false;
    }
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return true;
}

// Without a clean start the guest gets what the launcher has: its environment, and one descriptor
// that nobody closed. This is asked for last, just before execve.
const char* const* guest_environment() {
  if (!wall_up(Wall::kCleanStart)) {
    (void)::open("/etc", O_RDONLY | O_DIRECTORY);
    return environ;
  }
  static char text[512];
  static const char* const kNames[] = {text, nullptr};
  std::string_view list = walls_off();
  if (kVariable.size() + 1 + list.size() >= sizeof text) {
    std::abort();
  }
  std::memcpy(text, kVariable.data(), kVariable.size());
  text[kVariable.size()] = '=';
  std::memcpy(text + kVariable.size() + 1, list.data(), list.size());
  return kNames;
}

}  // namespace atl::confine
