#include "images/entry_path.hpp"

#include <algorithm>

namespace atl::images {
namespace {

// Takes the first component off the front.
std::string_view take_part(std::string_view& rest) {
  std::string_view part = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

}  // namespace

std::string shown(std::string_view name) {
  std::string text(name.substr(0, 100));
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return "\"" + text + (name.size() > 100 ? "…\"" : "\"");
}

Result<std::string> clean_path(std::string_view name, const UnpackLimits& limits) {
  if (name.starts_with('/')) {
    return fail(Code::kInvalidArgument, "the archive has an absolute path: " + shown(name));
  }
  std::string path;
  std::size_t depth = 0;
  for (std::string_view rest = name; !rest.empty();) {
    std::string_view part = take_part(rest);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      return fail(Code::kInvalidArgument, "the archive has a path with ..: " + shown(name));
    }
    if (part.find('\0') != std::string_view::npos || part.size() > 255) {
      return fail(Code::kInvalidArgument, "the archive has an unusable name: " + shown(name));
    }
    if (!path.empty()) path += '/';
    path += part;
    ++depth;
  }
  if (path.size() > limits.path || depth > limits.depth) {
    return fail(Code::kTooLarge, "the archive has a path that is too long or deep: " + shown(name));
  }
  return path;
}

bool link_climbs_out(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return false;  // starts at the top folder, wherever that is
  auto depth = std::ranges::count(path, '/');
  for (std::string_view rest = target; !rest.empty();) {
    std::string_view part = take_part(rest);
    if (part.empty() || part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

}  // namespace atl::images
