#include "backends/srt/package.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace atl::backends::srt {
namespace {

constexpr std::string_view kSystemCache = "/var/cache";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string folder_in(std::string cache) { return cache.append("/atoll/srt-").append(kVersion); }

std::string user_cache() {
  std::string cache = variable("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return cache;
  std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.cache" : "";
}

std::vector<std::string> folders() {
  if (std::string named = variable("ATOLL_SRT_FOLDER"); !named.empty()) return {named};
  std::vector<std::string> all;
  std::string cache = user_cache();
  if (!cache.empty() && ::geteuid() != 0) all.push_back(folder_in(cache));
  all.push_back(folder_in(std::string(kSystemCache)));
  return all;
}

bool in_path(const std::string& name) {
  std::string path = variable("PATH");
  std::string_view rest = path.empty() ? "/usr/local/bin:/usr/bin:/bin" : std::string_view(path);
  for (;;) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    std::string whole(folder);
    if (::access(whole.append("/").append(name).c_str(), X_OK) == 0) return true;
    if (folder.size() == rest.size()) return false;
    rest.remove_prefix(folder.size() + 1);
  }
}

}  // namespace

Package package_in(const std::string& folder) {
  return {.folder = folder,
          .node = folder + "/node",
          .program = folder + "/node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js"};
}

std::string install_folder() { return folders().front(); }

Result<Package> find_package() {
  for (const std::string& folder : folders()) {
    Package package = package_in(folder);
    bool complete =
        ::access(package.node.c_str(), X_OK) == 0 && ::access(package.program.c_str(), R_OK) == 0;
    if (complete) return package;
  }
  return fail(Code::kHostUnsupported,
              std::string("srt ") + kVersion + " is missing; run `atoll backends install srt`");
}

Result<void> check_programs() {
  constexpr struct {
    const char* program;
    const char* package;
  } kWanted[] = {{"bwrap", "bubblewrap"}, {"socat", "socat"}, {"rg", "ripgrep"}, {"bash", "bash"}};
  std::string missing;
  for (const auto& wanted : kWanted) {
    if (!in_path(wanted.program)) missing.append(" ").append(wanted.package);
  }
  if (missing.empty()) return {};
  return fail(Code::kHostUnsupported,
              "srt needs programs that are missing; apt-get install" + missing);
}

}  // namespace atl::backends::srt
