#include "images/program_defaults.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "images/layer_paths.hpp"

namespace atl::images {
namespace {

constexpr std::size_t kMaxPath = 255;
constexpr uid_t kUser = 1000;  // whom programs run as, inside

// Root's store keeps the owners of files; in another's all files are his, and he is the user
// inside.
bool can_be_entered(const UniqueFd& folder) {
  struct stat info{};
  if (::fstat(folder.get(), &info) != 0) return false;
  uid_t user = ::geteuid() == 0 ? kUser : ::geteuid();
  return (info.st_mode & (info.st_uid == user ? S_IXUSR : S_IXOTH)) != 0;
}

bool is_plain(const std::string& path) {
  if (!path.starts_with('/') || path.size() > kMaxPath || path.contains('\0')) return false;
  return std::ranges::none_of(std::filesystem::path(path), [](const std::filesystem::path& part) {
    return part == "." || part == "..";
  });
}

// A sandbox has folders of its own there, whatever the image has.
bool is_hidden(const std::string& path) {
  constexpr const char* kOwn[] = {"/dev/", "/mnt/", "/opt/atoll/", "/proc/",
                                  "/sys/", "/tmp/", "/workspace/"};
  return std::ranges::any_of(kOwn, [&](const char* own) { return path.starts_with(own); });
}

// By the uppermost layer that has it.
bool can_be_entered(const std::string& path, std::span<const UniqueFd> layers) {
  for (const UniqueFd& layer : layers | std::views::reverse) {
    if (UniqueFd folder = open_in_layer(layer, path)) return can_be_entered(folder);
  }
  return false;
}

std::string folder_of(const std::string& path, std::span<const UniqueFd> layers) {
  if (path == "/" || !is_plain(path)) return {};
  std::string real = without_links(path, layers);
  if (real == "/tmp") return real;
  if (is_hidden(real + "/")) return {};
  for (std::size_t end = 0; end < real.size();) {
    end = std::min(real.find('/', end + 1), real.size());
    if (!can_be_entered(real.substr(0, end), layers)) return {};
  }
  return path;
}

}  // namespace

ProgramDefaults program_defaults(const ImageConfig& config, std::span<const UniqueFd> layers) {
  ProgramDefaults defaults{.cwd = folder_of(config.workdir, layers)};
  for (const std::string& entry : config.env) {
    std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || entry.contains('\0')) continue;
    defaults.env.try_emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return defaults;
}

}  // namespace atl::images
