#include "control/box_path.hpp"

#include "base/utf8.hpp"

namespace atl::control {

namespace {

constexpr std::size_t kMaxPath = 4096;

bool takes_prefix(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  std::string_view rest = path.substr(prefix.size());
  if (!rest.empty() && rest.front() != '/') return false;
  path = rest;
  return true;
}

}  // namespace

Result<std::string> box_path(std::string_view name, std::string_view workspace) {
  if (name.size() > kMaxPath) return fail(Code::kInvalidArgument, "the file name is too long");
  if (name.find('\0') != std::string_view::npos || !is_utf8(name)) {
    return fail(Code::kInvalidArgument, "a file name is UTF-8 without NUL");
  }
  std::string clean;
  std::string_view rest = name;
  while (!rest.empty()) {
    std::size_t slash = rest.find('/');
    std::string_view segment = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (segment == "..") return fail(Code::kInvalidArgument, "a file name must not contain `..`");
    if (segment.size() > 255) return fail(Code::kInvalidArgument, "the file name is too long");
    if (!segment.empty() && segment != ".") clean.append("/").append(segment);
  }
  if (!name.starts_with('/')) return std::string(workspace) + clean;
  std::string_view below = clean;
  if (takes_prefix(below, workspace) || takes_prefix(below, "/workspace")) {
    return std::string(workspace) + std::string(below);
  }
  if (takes_prefix(below, "/tmp")) return clean;
  return fail(Code::kInvalidArgument, "absolute file names lie below /workspace or /tmp");
}

std::string shown_path(std::string_view path, std::string_view workspace) {
  std::string_view below = path;
  if (!takes_prefix(below, workspace)) return std::string(path);
  return std::string(below.empty() ? below : below.substr(1));
}

}  // namespace atl::control
