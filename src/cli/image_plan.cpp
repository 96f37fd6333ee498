#include "cli/image_plan.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <ranges>

#include "cli/mounts.hpp"
#include "images/store.hpp"
#include "images/tree.hpp"

namespace atl::cli {
namespace {

// `path` is absolute. Links lead nowhere: a layer alone does not know where they end.
UniqueFd open_in_layer(const UniqueFd& layer, const std::string& path) {
  open_how how{.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  std::string below = "tree" + path;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, layer.get(), below.c_str(), &how, sizeof how)));
}

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

// The same folder by a path without links. All layers together know where these lead.
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

}  // namespace

Result<images::ImageConfig> use_image(const std::string& name, sandbox::SandboxSpec& spec) {
  ATOLL_TRY(std::string folder, images::data_folder());
  ATOLL_TRY(images::Store store, images::Store::open(folder));
  ATOLL_TRY(images::Lease lease, store.use(name));
  if (lease.layers.empty()) {
    return fail(Code::kInvalidArgument, "--image: " + lease.image.name + " has no files");
  }
  spec.image = lease.image.name;
  spec.layers = std::move(lease.layers);
  return std::move(lease.image.config);
}

void add_image_environment(const images::ImageConfig& config,
                           std::map<std::string, std::string>& environment) {
  for (const std::string& entry : config.env) {
    std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    environment.try_emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

RunOptions with_image_command(RunOptions options, const images::ImageConfig& config) {
  if (options.code || !options.arguments.empty()) return options;
  options.arguments = config.entrypoint;
  options.arguments.insert(options.arguments.end(), config.cmd.begin(), config.cmd.end());
  options.separated = true;  // a program in any case, never a script of the host
  return options;
}

std::string image_workdir(const images::ImageConfig& config, const sandbox::SandboxSpec& spec) {
  const std::string& path = config.workdir;
  if (path.empty() || path == "/" || !check_inside_path(path, "")) return {};
  // Links may lead to it, so what is not found in any layer may still be there: try it then.
  bool found = std::ranges::any_of(spec.layers, [&](const UniqueFd& layer) {
    return open_in_layer(layer, path) || errno == ELOOP;
  });
  return found ? path : std::string();
}

std::vector<std::string> names_in_layers(const std::string& folder, bool follow,
                                         std::span<const UniqueFd> layers) {
  std::vector<std::string> names;
  std::string real = follow ? without_links(folder, layers) : folder;
  for (const UniqueFd& layer : layers) {
    UniqueFd opened = open_in_layer(layer, real);
    if (!opened) continue;
    if (Result<std::vector<std::string>> found = images::list_folder(opened)) {
      names.insert(names.end(), found->begin(), found->end());
    }
  }
  return names;
}

}  // namespace atl::cli
