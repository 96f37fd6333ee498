#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/core/console.hpp"
#include "config/find_file.hpp"
#include "images/store.hpp"
#include "server/serve.hpp"

extern char** environ;

namespace atl::server {

namespace {

// On the command line a folder may be named from where the caller stands.
std::string from_here(const std::string& path) {
  std::error_code failed;
  std::filesystem::path here = std::filesystem::current_path(failed);
  return path.empty() || failed ? path : (here / path).lexically_normal().string();
}

}  // namespace

Result<config::Loaded> load_config(const cli::ServeOptions& options) {
  config::Sources sources{.environment = config::own_variables(environ)};
  auto set = [&](const char* path, const std::string& value, const char* flag) {
    if (!value.empty()) sources.overrides.push_back({.path = path, .value = value, .flag = flag});
  };
  set("data", from_here(options.data), "--data");
  set("server.listen", options.listen, "--listen");
  set("sandbox.backend", options.backend, "--backend");
  if (options.no_auth) set("auth.enabled", "false", "--no-auth");
  for (const std::string& one : options.sets) {
    std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(Code::kInvalidArgument, "--set " + one + ": write PATH=VALUE");
    }
    set(one.substr(0, equals).c_str(), one.substr(equals + 1), "--set");
  }
  const char* home = std::getenv("HOME");
  std::string data = config::early_data_folder(sources, images::server_folder().value_or(""));
  ATOLL_TRY(sources.file,
            config::find_file(
                {.file = options.config, .data = data, .home = home != nullptr ? home : ""}));
  std::expected<config::Loaded, config::Problems> loaded = config::load(sources);
  if (loaded) return std::move(*loaded);
  std::string text;
  for (const config::Problem& problem : loaded.error()) {
    text += "\n  " + problem.to_string();
  }
  return fail(Code::kInvalidArgument, "the configuration cannot be used as it is:" + text);
}

}  // namespace atl::server
