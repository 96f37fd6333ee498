#include "cli/run/run_plan.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/core/terminal.hpp"
#include "cli/run/environment.hpp"
#include "cli/run/image_plan.hpp"
#include "cli/run/inside_view.hpp"
#include "cli/run/limits.hpp"
#include "cli/run/mounts.hpp"
#include "cli/run/program.hpp"
#include "cli/run/run_trust.hpp"
#include "images/layer_paths.hpp"
#include "images/program_defaults.hpp"
#include "sandbox/fs_policy.hpp"
#include "sandbox/preload.hpp"

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

Result<sandbox::FilesystemPolicy> expanded(const sandbox::FilesystemPatterns& patterns,
                                           const RunOptions& options,
                                           std::span<const UniqueFd> layers) {
  std::vector<MountText> mounts;
  for (const std::string& text : options.mounts) {
    ATOLL_TRY(MountText mount, parse_mount(text));
    mounts.push_back(std::move(mount));
  }
  InsideRoot root = &sandbox::names_in_host_root;
  if (!layers.empty()) {
    root = [layers](const std::string& folder, bool follow) {
      return images::names_in_layers(folder, follow, layers);
    };
  }
  return sandbox::expand_policy(patterns, [&](const std::string& folder, bool follow) {
    return names_inside(folder, follow, mounts, root);
  });
}

Result<sandbox::Preload> parse_preload(std::string_view text) {
  sandbox::Preload preload;
  if (text == "none") return preload;
  while (true) {
    std::size_t comma = std::min(text.find(','), text.size());
    preload.modules.emplace_back(text.substr(0, comma));
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (Result<void> checked = sandbox::check_modules(preload.modules); !checked) {
    return fail(Code::kInvalidArgument, "--preload " + checked.error().message() +
                                            "; separate them by commas; `none` loads none");
  }
  return preload;
}

// A zygote is the host's interpreter; a sandbox that would find another one, or none, gets none.
bool finds_the_hosts_python(const RunPlan& plan) {
  auto covers = [](const sandbox::Mount& mount) { return mount.target.starts_with("/usr"); };
  return !plan.request.env.contains("PATH") && plan.spec.filesystem.deny_read.empty() &&
         std::ranges::none_of(plan.spec.mounts, covers);
}

// Scripts go to the workspace, unless a mount covers it: the host's files are not ours to add to.
// Nothing can be mounted below /dev, so the last folder is always the sandbox's own.
std::string script_folder(const std::vector<sandbox::Mount>& mounts) {
  auto covered = [&mounts](std::string_view folder) {
    return std::ranges::any_of(mounts, [&](const auto& mount) { return mount.target == folder; });
  };
  return !covered("/workspace") ? "/workspace" : !covered("/tmp") ? "/tmp" : "/dev/shm";
}

Result<std::optional<AskedNetwork>> asked_network(const RunOptions& options,
                                                  const sandbox::BackendEntry& backend) {
  if (options.network.empty()) return std::nullopt;
  ATOLL_TRY(AskedNetwork asked, parse_network(options.network));
  if (!backend.has(sandbox::Cap::kNetworkPolicy)) {
    return fail(Code::kPolicyUnsupported,
                "the backend " + backend.name + " cannot enforce rules of a network; native can");
  }
  if (!model::allows_anything(asked.policy)) return std::nullopt;
  return asked;
}

}  // namespace

Result<RunPlan> make_sandbox_plan(const RunOptions& options, const sandbox::BackendEntry& backend) {
  RunPlan plan{.backend = backend.name,
               .output = options.output,
               .color = options.color,
               .quiet = options.quiet,
               .verbose = options.verbose};
  ATOLL_CHECK(check_hostname(options.hostname));
  ATOLL_TRY(CheckedLimits checked, check_limits(options));
  ATOLL_TRY(plan.network, asked_network(options, backend));
  plan.spec.id = SandboxId::make();
  plan.spec.limits = checked.limits;
  plan.spec.asked = checked.asked;
  plan.spec.hostname = options.hostname;
  plan.spec.writable_root = options.writable_root;
  for (const std::string& text : options.mounts) {
    ATOLL_TRY(sandbox::Mount mount, open_mount(text));
    plan.spec.mounts.push_back(std::move(mount));
  }
  if (!options.image.empty() && (backend.own_images || backend.whole_host)) {
    plan.spec.image = options.image;  // a name that the backend knows, or refuses
  } else if (!options.image.empty()) {
    ATOLL_TRY(plan.image, use_image(options.image, plan.spec));
  }
  sandbox::FilesystemPatterns patterns{.deny_read = options.deny_read,
                                       .allow_write = options.allow_write,
                                       .deny_write = options.deny_write};
  if (backend.own_images) {  // it knows what an image holds, and expands them itself
    plan.spec.patterns = std::move(patterns);
  } else if (!patterns.empty()) {
    ATOLL_TRY(plan.spec.filesystem, expanded(patterns, options, plan.spec.layers));
  }
  if (options.preload && plan.image) {
    return fail(Code::kInvalidArgument, "--preload is for the host's Python; an image has its own");
  }
  ATOLL_TRY(plan.request.env, make_environment(options));
  if (options.preload) {
    ATOLL_TRY(sandbox::Preload preload, parse_preload(*options.preload));
    if (finds_the_hosts_python(plan)) plan.spec.preload = std::move(preload);
  }
  if (plan.image) {
    images::ProgramDefaults own = images::program_defaults(*plan.image, plan.spec.layers);
    plan.request.env.merge(own.env);  // what was asked for stays
    plan.image_cwd = std::move(own.cwd);
  }
  if (!options.workdir.empty()) {
    ATOLL_CHECK(check_inside_path(options.workdir, "--workdir"));
    plan.request.cwd = options.workdir;
  }
  if (plan.network && !plan.network->policy.secrets.empty()) ATOLL_CHECK(add_trust(plan));
  return plan;
}

Result<RunPlan> make_plan(const RunOptions& options, const sandbox::BackendEntry& backend) {
  ATOLL_CHECK(check_terminal(options));
  ATOLL_TRY(RunPlan plan, make_sandbox_plan(options, backend));
  std::string folder = script_folder(plan.spec.mounts);
  ATOLL_TRY(Program program,
            make_program(plan.image ? with_image_command(options, *plan.image) : options, folder));
  if (!program.is_code && plan.request.cwd.empty()) plan.request.cwd = plan.image_cwd;
  plan.request.argv = std::move(program.argv);
  const std::string& name = plan.request.argv.front();
  if (plan.spec.preload) plan.spec.preload->for_contexts = false;
  plan.request.zygote = plan.spec.preload && (name == "python3" || name == "python");
  plan.file = std::move(program.file);
  plan.may_be_script = program.may_be_script;
  ATOLL_TRY(plan.request.timeout, check_timeout(options, program.is_code));
  ATOLL_TRY(plan.max_output, check_max_output(options));
  plan.pass_stdin = options.interactive && !program.took_stdin;
  plan.request.stdin_open = plan.pass_stdin;
  if (options.terminal) plan.request.terminal = terminal_size();
  return plan;
}

}  // namespace atl::cli
