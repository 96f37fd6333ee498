#include "cli/config/config_command.hpp"

#include <unistd.h>

#include <array>

#include "base/write_all.hpp"
#include "cli/config/config_options.hpp"
#include "cli/config/config_text.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/suggest.hpp"
#include "config/find_file.hpp"
#include "config/listing.hpp"
#include "config/reference.hpp"

namespace atl::cli {
namespace {

using config::Listed;
using config::Loaded;
using config::Problem;
using config::Problems;

constexpr int kExitProblems = 1;

bool pretty() { return ::isatty(STDOUT_FILENO) == 1; }

Result<void> expect_words(const ConfigOptions& options, std::size_t most, const char* what) {
  if (options.words.size() - 1 <= most) return {};
  return fail(Code::kInvalidArgument, "config " + options.words[0] + ": " + what);
}

config::Sources sources_of(const ConfigOptions& options, const ConfigSurroundings& around) {
  config::Sources sources{.environment = config::own_variables(around.environment)};
  if (!options.data.empty()) {
    sources.overrides.push_back({.path = "data", .value = options.data, .flag = "--data"});
  }
  for (const std::string& set : options.sets) {
    std::size_t equals = set.find('=');
    sources.overrides.push_back(
        {.path = set.substr(0, equals), .value = set.substr(equals + 1), .flag = "--set"});
  }
  return sources;
}

Result<void> find_file(config::Sources& sources, const std::string& file,
                       const ConfigSurroundings& around) {
  ATOLL_TRY(sources.file, config::find_file({.file = file,
                                             .data = early_data_folder(sources, around.data),
                                             .home = around.home,
                                             .system = around.system_file}));
  return {};
}

// Those below the field or block that `path` names.
Result<std::vector<Listed>> only(std::vector<Listed> values, const std::string& path) {
  config::Found found = config::find_path(path, ".");
  if (found.node == nullptr) {
    return fail(Code::kInvalidArgument, "there is no field \"" + path.substr(0, 80) + "\"" +
                                            suggestion(*found.parent, found.rest));
  }
  std::string within = found.node->path + ".";
  std::erase_if(values, [&](const Listed& listed) {
    return listed.path != found.node->path && !listed.path.starts_with(within);
  });
  return values;
}

Result<int> show_values(const ConfigOptions& options, const ConfigSurroundings& around) {
  ATOLL_CHECK(expect_words(options, 1, "name one field or block at most"));
  config::Sources sources = sources_of(options, around);
  ATOLL_CHECK(find_file(sources, options.file, around));
  std::expected<Loaded, Problems> loaded = config::load(sources);
  if (!loaded) {
    write_all(STDERR_FILENO, problems_text(loaded.error()));
    return fail(Code::kInvalidArgument, "the configuration cannot be used as it is");
  }
  std::vector<Listed> values = config::list_values(*loaded);
  if (options.words.size() > 1) {
    ATOLL_TRY(values, only(std::move(values), options.words[1]));
  }
  switch (options.output) {
    case DocumentFormat::kJson: return show(values_json(values, loaded->file, pretty()));
    case DocumentFormat::kYaml: return show(values_yaml(values));
    case DocumentFormat::kTable: break;
  }
  return show(values_text(values, use_color(options.color, STDOUT_FILENO)));
}

// A file that has the block at all turns them off, unless it says otherwise.
bool is_off(const config::SandboxConfig& sandbox) {
  return !sandbox.enabled || sandbox.mode == config::SandboxMode::kDisabled;
}

// What the file alone cannot tell.
void check_backend(const Loaded& loaded, const ConfigSurroundings& around, Problems& problems) {
  if (!around.check_backend || is_off(loaded.config.sandbox)) return;  // as the server does
  Result<void> known = around.check_backend(loaded.config.sandbox.backend);
  if (known) return;
  problems.push_back({.origin = loaded.origin_of("sandbox.backend"),
                      .pointer = "/sandbox/backend",
                      .detail = "is wrong: " + known.error().message()});
}

Result<int> check_values(const ConfigOptions& options, const ConfigSurroundings& around) {
  ATOLL_CHECK(expect_words(options, 1, "name one file at most"));
  std::string file = options.words.size() > 1 ? options.words[1] : options.file;
  config::Sources sources = sources_of(options, around);
  Problems problems;
  if (Result<void> read = find_file(sources, file, around); !read) {
    problems.push_back({.origin = {.kind = config::Origin::Kind::kFile,
                                   .name = file.empty() ? "configuration file" : file},
                        .detail = read.error().message()});
  }
  std::expected<Loaded, Problems> loaded = config::load(sources);
  if (!loaded) problems.insert(problems.end(), loaded.error().begin(), loaded.error().end());
  if (loaded) check_backend(*loaded, around, problems);
  std::string name = sources.file ? sources.file->name : file;
  int status = problems.empty() ? 0 : kExitProblems;
  if (options.output != DocumentFormat::kTable) {
    int shown = show(problems_json(problems, name, pretty()));
    return shown != 0 ? shown : status;
  }
  std::string good =
      name.empty() ? "ok: no file, only defaults and the environment\n" : "ok: " + name + "\n";
  if (loaded && is_off(loaded->config.sandbox)) {
    good +=
        "warning: sandboxes are off: set sandbox.enabled to true and sandbox.mode to per-session\n";
  }
  int shown = show(problems.empty() ? good : problems_text(problems));
  return shown != 0 ? shown : status;
}

Result<int> show_reference(const ConfigOptions& options) {
  ATOLL_CHECK(expect_words(options, 0, "takes no words"));
  return show(config::reference_markdown());
}

Result<int> dispatch(const ConfigOptions& options, const ConfigSurroundings& around) {
  constexpr std::array<std::string_view, 3> kNames{"show", "check", "reference"};
  constexpr const char* kSay = "say show, check or reference";
  if (options.words.empty()) return fail(Code::kInvalidArgument, std::string("config: ") + kSay);
  const std::string& name = options.words[0];
  if (name == "show") return show_values(options, around);
  if (name == "check") return check_values(options, around);
  if (name == "reference") return show_reference(options);
  std::string message = "there is no \"config " + name.substr(0, 80) + "\"";
  Suggestion best(name);
  for (std::string_view known : kNames) best.offer(known);
  message += best.empty() ? std::string("; ") + kSay
                          : "; did you mean config " + std::string(best.word()) + "?";
  return fail(Code::kInvalidArgument, std::move(message));
}

int failure(const Error& error, const ConfigOptions& options) {
  print_error(error, options.color);
  return exit_status_of(error.code());
}

}  // namespace

int config_command(Arguments arguments, const ConfigSurroundings& around) {
  ConfigOptions options;
  Result<void> parsed = parse_config_options(arguments, options);
  if (!parsed) return failure(parsed.error(), options);
  if (options.help) return show_help(*find_command("config"));
  Result<int> status = dispatch(options, around);
  return status ? *status : failure(status.error(), options);
}

}  // namespace atl::cli
