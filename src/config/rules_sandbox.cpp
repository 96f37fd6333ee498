#include <algorithm>
#include <array>

#include "config/backend_block.hpp"
#include "config/rules.hpp"

namespace atl::config {
namespace {

constexpr std::array kRules{
    Rule{.path = "sandbox.enabled",
         .says = "Whether there are sandboxes at all. When not, asking for a session answers 403 "
                 "`sandbox_disabled`."},
    Rule{.path = "sandbox.backend",
         .says = "The kind of sandbox for templates that name none; `atoll backends` lists them.",
         .most = 64,
         .check = check_name},
    Rule{.path = "sandbox.mode",
         .says = "`per-session`: each `session_key` has a sandbox of its own. `shared`: all keys "
                 "share one. `disabled`: as with `enabled` false."},
    Rule{.path = "sandbox.network.allowedDomains",
         .says = "Domains that sandboxes may reach; empty: none. A backend that cannot enforce the "
                 "list refuses the session with 422 `policy_unsupported`.",
         .most = kMaxDomain,
         .items = kMaxRules,
         .check = check_domain},
    Rule{.path = "sandbox.network.deniedDomains",
         .says =
             "Domains that sandboxes may not reach, also where `allowedDomains` allows them. Where "
             "there is no network nothing can be reached.",
         .most = kMaxDomain,
         .items = kMaxRules,
         .check = check_domain},
    Rule{.path = "sandbox.network.allowLocalBinding",
         .says =
             "Whether programs may listen on local ports where the backend shares the host's "
             "network (srt on macOS). On Linux sandboxes have a network of their own and always "
             "may."},
    Rule{.path = "sandbox.filesystem.denyRead",
         .says = "Paths and globs inside the sandbox that cannot be read there; `~` is the "
                 "workspace, on "
                 "srt the home of whoever runs the server. A glob stands for what exists when the "
                 "sandbox is made.",
         .most = kMaxPath,
         .items = kMaxRules,
         .check = check_path},
    Rule{.path = "sandbox.filesystem.allowWrite",
         .says = "Folders that can be written besides the workspace and /tmp; they are empty at "
                 "first, on "
                 "srt the host's own.",
         .most = kMaxPath,
         .items = kMaxRules,
         .check = check_path},
    Rule{.path = "sandbox.filesystem.denyWrite",
         .says = "Paths and globs that cannot be written, also where `allowWrite` allows them.",
         .most = kMaxPath,
         .items = kMaxRules,
         .check = check_path},
    Rule{.path = "sandbox.runtime.cleanupOnExit",
         .says = "Whether a clean shutdown of the server ends the sandboxes. When not, they are "
                 "found again at the next start, as after a crash."},
    Rule{.path = "sandbox.runtime.timeout",
         .says = "How long a session lives that does not say, counted from when it is ready.",
         .least = 1,
         .most = 365 * kDay,
         .unit = "s"},
    Rule{.path = "sandbox.bootstrap.initDir",
         .says = "Folder whose content is copied into a new workspace. Relative to "
                 "`DATA/bootstrap`; empty: none. `skills/` beside it is always copied.",
         .most = kMaxPath,
         .check = check_optional_path},
    Rule{.path = "sandbox.bootstrap.files",
         .says = "Files that are copied into a new workspace instead when there is no `initDir`; "
                 "missing ones are left out.",
         .most = kMaxPath,
         .items = kMaxRules,
         .check = check_inner_path},
};

}  // namespace

std::span<const Rule> sandbox_rules() { return kRules; }

const Rule* rule_of(std::string_view path) {
  auto find = [path](std::span<const Rule> table) -> const Rule* {
    auto found = std::ranges::find(table, path, &Rule::path);
    return found == table.end() ? nullptr : &*found;
  };
  for (std::span<const Rule> table : {sandbox_rules(), server_rules()}) {
    if (const Rule* rule = find(table)) return rule;
  }
  for (const BackendBlock* block : backend_blocks()) {
    if (const Rule* rule = find(block->rules)) return rule;
  }
  return nullptr;
}

}  // namespace atl::config
