#include "cli/run_plan.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/environment.hpp"
#include "cli/inside_view.hpp"
#include "cli/limits.hpp"
#include "cli/mounts.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "sandbox/fs_policy.hpp"

namespace atl::cli {
namespace {

Result<void> check_terminal(const RunOptions& options) {
  if (!options.terminal) return {};
  if (options.output == OutputFormat::kJson) {
    return fail(Code::kInvalidArgument,
                "-t cannot be used with -o json: a terminal has no separate streams");
  }
  if (options.interactive && ::isatty(STDIN_FILENO) != 1) {
    return fail(Code::kInvalidArgument,
                "-t needs a terminal on stdin, and there is none; use -i without -t to pass data");
  }
  if (!options.interactive && ::isatty(STDOUT_FILENO) != 1) {
    return fail(Code::kInvalidArgument,
                "-t needs a terminal on stdout, and there is none; leave -t out");
  }
  return {};
}

Result<void> check_hostname(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  bool fits = !name.empty() && name.size() < 64 &&
              name.find_first_not_of(kAllowed) == std::string::npos && name.front() != '-' &&
              name.front() != '.';
  if (fits) return {};
  return fail(Code::kInvalidArgument,
              "--hostname: a host name has 1 to 63 letters, digits, dots and dashes");
}

Result<sandbox::FilesystemPolicy> make_policy(const RunOptions& options) {
  if (options.deny_read.empty() && options.allow_write.empty() && options.deny_write.empty()) {
    return sandbox::FilesystemPolicy{};
  }
  std::vector<MountText> mounts;
  for (const std::string& text : options.mounts) {
    ATOLL_TRY(MountText mount, parse_mount(text));
    mounts.push_back(std::move(mount));
  }
  sandbox::FilesystemPatterns patterns{.deny_read = options.deny_read,
                                       .allow_write = options.allow_write,
                                       .deny_write = options.deny_write};
  return sandbox::expand_policy(
      patterns, [&mounts](const std::string& folder) { return names_inside(folder, mounts); });
}

// Scripts go to the workspace, unless a mount covers it: the host's files are not ours to add to.
// Nothing can be mounted below /dev, so the last folder is always the sandbox's own.
std::string script_folder(const std::vector<sandbox::Mount>& mounts) {
  auto covered = [&mounts](std::string_view folder) {
    return std::ranges::any_of(mounts, [&](const auto& mount) { return mount.target == folder; });
  };
  return !covered("/workspace") ? "/workspace" : !covered("/tmp") ? "/tmp" : "/dev/shm";
}

}  // namespace

Result<RunPlan> make_plan(const RunOptions& options) {
  RunPlan plan{.backend = options.backend,
               .output = options.output,
               .color = options.color,
               .quiet = options.quiet,
               .verbose = options.verbose};
  ATOLL_CHECK(check_terminal(options));
  ATOLL_CHECK(check_hostname(options.hostname));
  ATOLL_TRY(CheckedLimits checked, check_limits(options));
  plan.spec.id = SandboxId::make();
  plan.spec.limits = checked.limits;
  plan.spec.asked = checked.asked;
  plan.spec.hostname = options.hostname;
  for (const std::string& text : options.mounts) {
    ATOLL_TRY(sandbox::Mount mount, open_mount(text));
    plan.spec.mounts.push_back(std::move(mount));
  }
  ATOLL_TRY(plan.spec.filesystem, make_policy(options));
  ATOLL_TRY(plan.request.env, make_environment(options));
  ATOLL_TRY(Program program, make_program(options, script_folder(plan.spec.mounts)));
  plan.request.argv = std::move(program.argv);
  plan.file = std::move(program.file);
  if (!options.workdir.empty()) {
    ATOLL_CHECK(check_inside_path(options.workdir, "--workdir"));
    plan.request.cwd = options.workdir;
  }
  ATOLL_TRY(plan.request.timeout, check_timeout(options, program.is_code));
  ATOLL_TRY(plan.max_output, check_max_output(options));
  plan.pass_stdin = options.interactive && !program.took_stdin;
  plan.request.stdin_open = plan.pass_stdin;
  if (options.terminal) plan.request.terminal = terminal_size();
  return plan;
}

}  // namespace atl::cli
