#include "images/layer_paths.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <ranges>

#include "images/tree.hpp"

namespace atl::images {
namespace {

// Where the link `path` leads to, by the uppermost layer that has it; empty: it is none.
std::string link_in_layers(const std::string& path, std::span<const UniqueFd> layers) {
  open_how how{.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  std::string below = "tree" + path;
  for (const UniqueFd& layer : layers | std::views::reverse) {
    UniqueFd link(
        static_cast<int>(::syscall(SYS_openat2, layer.get(), below.c_str(), &how, sizeof how)));
    if (!link) continue;
    char target[PATH_MAX];
    ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
  }
  return {};
}

}  // namespace

UniqueFd open_in_layer(const UniqueFd& layer, const std::string& path) {
  open_how how{.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  std::string below = "tree" + path;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, layer.get(), below.c_str(), &how, sizeof how)));
}

std::string without_links(const std::string& path, std::span<const UniqueFd> layers) {
  constexpr int kMaxLinks = 40;
  std::filesystem::path done = "/";
  std::filesystem::path rest = path;
  for (int links = 0; !rest.empty();) {
    rest = rest.lexically_normal().relative_path();
    if (rest.empty()) break;
    std::filesystem::path next = done / *rest.begin();
    rest = rest.lexically_relative(*rest.begin());
    if (rest == ".") rest.clear();
    std::string target = link_in_layers(next.string(), layers);
    if (target.empty()) {
      done = next;
      continue;
    }
    if (++links > kMaxLinks) return path;
    rest = done / target / rest;
    done = "/";
  }
  return done.string();
}

std::vector<std::string> names_in_layers(const std::string& folder, bool follow,
                                         std::span<const UniqueFd> layers) {
  std::vector<std::string> names;
  std::string real = follow ? without_links(folder, layers) : folder;
  for (const UniqueFd& layer : layers) {
    UniqueFd opened = open_in_layer(layer, real);
    if (!opened) continue;
    if (Result<std::vector<std::string>> found = list_folder(opened)) {
      names.insert(names.end(), found->begin(), found->end());
    }
  }
  return names;
}

}  // namespace atl::images
