#include "base/safe_names.hpp"

#include <algorithm>

namespace atl {
namespace {

template <typename Each>
bool each_part(std::string_view path, Each each) {
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (!each(part)) return false;
  }
  return true;
}

}  // namespace

bool is_safe_name(std::string_view name) {
  constexpr std::size_t kLongest = 4000;  // of the 4,095 bytes of a path
  if (name.size() > kLongest) return false;
  if (name.empty() || name.front() == '/' || name.find('\0') != name.npos) return false;
  return each_part(
      name, [](std::string_view part) { return !part.empty() && part != "." && part != ".."; });
}

// Steps up come first, and not more of them than the link lies deep; then names, which may be links
// themselves: those hold to the same rule from where they are.
bool is_safe_link(std::string_view name, std::string_view target) {
  if (target.empty() || target.front() == '/') return false;
  auto depth = std::ranges::count(name, '/');
  bool up = true;
  return each_part(target, [&](std::string_view part) {
    if (part != "..") up = false;
    if (part == ".." && (!up || --depth < 0)) return false;
    return true;
  });
}

}  // namespace atl
