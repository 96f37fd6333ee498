#include "cli/run/environment.hpp"

#include <cstdlib>

#include "base/environment_name.hpp"
#include "cli/core/files.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxEnvFile = 1ull << 20;

// `where` is put in front of complaints: "-e", "line 3 of env".
Result<void> add_entry(Environment& environment, std::string_view entry, const std::string& where) {
  std::size_t equals = entry.find('=');
  std::string key(entry.substr(0, equals));
  if (key.empty()) {
    return fail(Code::kInvalidArgument, where + ": a variable needs a name, as in K=V");
  }
  if (!is_environment_name(key) || !is_environment_value(entry)) {
    return fail(Code::kInvalidArgument, where +
                                            ": the name of a variable has up to 256 bytes, no "
                                            "blanks and no control characters");
  }
  if (equals != std::string_view::npos) {
    environment[key] = entry.substr(equals + 1);
  } else if (const char* value = std::getenv(key.c_str()); value != nullptr) {
    environment[key] = value;
  }
  return {};
}

}  // namespace

Result<void> add_env_lines(Environment& environment, std::string_view lines,
                           const std::string& name) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    std::size_t end = lines.find('\n');
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || line[start] == '#') continue;
    ATOLL_CHECK(add_entry(environment, line.substr(start),
                          "line " + std::to_string(number) + " of " + name));
  }
  return {};
}

Result<Environment> make_environment(const RunOptions& options) {
  Environment environment;
  if (options.terminal) {
    const char* term = std::getenv("TERM");
    environment["TERM"] = term != nullptr && *term != '\0' ? term : "xterm";
  }
  for (const std::string& path : options.env_files) {
    std::string what = "the env file " + path;
    ATOLL_TRY(std::string lines, read_file(path, kMaxEnvFile, what));
    ATOLL_CHECK(add_env_lines(environment, lines, what));
  }
  for (const std::string& entry : options.env) ATOLL_CHECK(add_entry(environment, entry, "-e"));
  return environment;
}

}  // namespace atl::cli
