#include "confine/walls.hpp"

namespace atl::confine {

bool wall_up(Wall) { return true; }

const char* const* guest_environment() {
  static const char* const kEmpty[] = {nullptr};
  return kEmpty;
}

}  // namespace atl::confine
