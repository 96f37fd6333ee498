#include "api/e2b/paths.hpp"

#include <vector>

namespace atl::api::e2b {

namespace {

// "/a/./b/../c" -> "/a/c"
std::string plain(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    std::size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string out;
  for (std::string_view part : parts) out.append("/").append(part);
  return out.empty() ? "/" : out;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

ClientPath client_path(std::string_view path) {
  std::string whole;
  if (path == "~" || path.starts_with("~/")) {
    whole = std::string(kHome) + std::string(path.substr(1));
  } else if (path.starts_with('/')) {
    whole = path;
  } else {
    whole = std::string(kHome) + "/" + std::string(path);
  }
  ClientPath out{.inside = plain(whole)};
  out.by_home = is_below(out.inside, kHome);
  if (out.by_home) out.inside.replace(0, kHome.size(), kWorkspace);
  return out;
}

std::string ClientPath::shown(std::string_view path) const {
  if (path.starts_with('/')) return std::string(path);
  std::string out(by_home ? kHome : kWorkspace);
  if (!path.empty()) out.append("/").append(path);
  return out;
}

std::string below(std::string_view path, std::string_view folder) {
  if (folder.empty()) return std::string(path);
  if (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/') {
    return std::string(path.substr(folder.size() + 1));
  }
  return std::string(path);
}

std::string permissions_of(const model::File& file) {
  using Kind = model::File::Kind;
  std::string text = file.kind == Kind::kDirectory ? "d" : file.kind == Kind::kSymlink ? "L" : "-";
  for (int shift = 6; shift >= 0; shift -= 3) {
    unsigned bits = file.mode >> shift & 7;
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    text += (bits & 1) != 0 ? 'x' : '-';
  }
  return text;
}

}  // namespace atl::api::e2b
