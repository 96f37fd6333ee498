#include "backends/native/create_request.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backends/native/fixed_text.hpp"
#include "backends/native/zygotes.hpp"
#include "confine/walls.hpp"

namespace atl::backends::native {
namespace {

using confine::Wall;
using engine::PathAction;

// Rules there would cover one process's files, or a device that everybody needs.
bool out_of_reach(std::string_view path) {
  for (std::string_view place : {"/proc", "/dev", "/mnt", "/opt/atoll"}) {
    if (path == place || (path.starts_with(place) && path[place.size()] == '/')) return true;
  }
  return path == "/";
}

Result<void> add_rules(engine::CreateRequest& request, const sandbox::SandboxSpec& spec,
                       const std::vector<std::string>& paths, PathAction action) {
  for (const std::string& path : paths) {
    if (out_of_reach(path)) {
      return fail(Code::kPolicyUnsupported,
                  "a file system rule for " + path + " cannot be enforced");
    }
    // Always writable already, or as writable as its mount says: a rule would cover it up.
    bool mounted =
        std::ranges::any_of(spec.mounts, [&](const auto& m) { return m.target == path; });
    bool settled = mounted || path == "/workspace" || path == "/tmp";
    if (action == PathAction::kWritable && settled) continue;
    if (request.start.rule_count == engine::kMaxRules) {
      return fail(Code::kTooLarge, "the file system policy has more than " +
                                       std::to_string(engine::kMaxRules) + " paths");
    }
    engine::PathRule& rule = request.start.rules[request.start.rule_count++];
    rule.action = action;
    ATOLL_CHECK(copy_text(rule.path, path, "a path of the file system policy"));
  }
  return {};
}

bool holds(std::uint32_t walls, Wall wall) {
  return (walls & static_cast<std::uint32_t>(wall)) != 0;
}

}  // namespace

engine::Limits engine_limits(const sandbox::Limits& limits) {
  return {.memory_bytes = limits.memory_bytes,
          .disk_bytes = limits.disk_bytes,
          .inodes = limits.inodes,
          .cpu_milli = static_cast<std::uint32_t>(std::lround(limits.cpus * 1000)),
          .pids = limits.pids,
          .open_files = limits.open_files};
}

Result<engine::CreateRequest> create_request(const sandbox::SandboxSpec& spec,
                                             const guest::Token& token) {
  if ((spec.image == "host") != spec.layers.empty()) {
    return fail(Code::kNotFound, "the image \"" + spec.image + "\" has no layers to run");
  }
  if (spec.layers.size() > engine::kMaxLayers) {
    return fail(Code::kTooLarge, "the image \"" + spec.image + "\" has too many layers");
  }
  engine::CreateRequest request;
  ATOLL_CHECK(copy_text(request.header.id.text, spec.id.str(), "the sandbox id"));
  ATOLL_CHECK(copy_text(request.start.hostname, spec.hostname, "the host name"));
  if (spec.preload) {
    request.use_zygote = 1;
    ATOLL_TRY(request.zygote, zygote_key(*spec.preload));
  }
  request.token = token;
  request.limits = engine_limits(spec.limits);
  request.start.writable_root = spec.writable_root ? 1 : 0;
  if (spec.mounts.size() > engine::kMaxMounts) {
    return fail(Code::kTooLarge, "more than " + std::to_string(engine::kMaxMounts) + " mounts");
  }
  request.start.mount_count = static_cast<std::uint32_t>(spec.mounts.size());
  request.layer_count = static_cast<std::uint32_t>(spec.layers.size());
  for (std::size_t i = 0; i < spec.mounts.size(); ++i) {
    ATOLL_CHECK(copy_text(request.start.mounts[i], spec.mounts[i].target, "a mount target"));
    if (!spec.mounts[i].read_only) request.writable_mounts |= 1u << i;
  }
  // Opening first, then closing, then hiding: the stricter word comes last and wins.
  ATOLL_CHECK(add_rules(request, spec, spec.filesystem.allow_write, PathAction::kWritable));
  ATOLL_CHECK(add_rules(request, spec, spec.filesystem.deny_write, PathAction::kReadOnly));
  ATOLL_CHECK(add_rules(request, spec, spec.filesystem.deny_read, PathAction::kHide));
  return request;
}

Result<void> check_asked_limits(const sandbox::AskedLimits& asked, std::uint32_t walls) {
  auto refuse = [](const char* limit) {
    return fail(Code::kLimitUnenforceable,
                std::string("this host cannot enforce the ") + limit +
                    " limit that was asked for; run as root, or see `atoll doctor`");
  };
  // Memory has a second line where no cgroup can be had: the data segment of each process.
  if (asked.cpus && !holds(walls, Wall::kCpuLimit)) return refuse("cpu");
  if (asked.pids && !holds(walls, Wall::kPidsLimit)) return refuse("pids");
  if (asked.disk && !holds(walls, Wall::kDiskLimit)) return refuse("disk");
  return {};
}

sandbox::Isolation isolation_of(std::uint32_t walls) {
  sandbox::Isolation isolation;
  for (std::uint32_t bit = 1; bit < confine::kAllWalls; bit <<= 1) {
    auto wall = static_cast<Wall>(bit);
    // Scopes protect the guest where it has no uid of its own; where it has, nothing is missing.
    if (wall == Wall::kLandlock && !holds(walls, wall) && holds(walls, Wall::kOwnUids)) continue;
    std::string name(confine::wall_name(wall));
    (walls & bit ? isolation.layers : isolation.missing).push_back(std::move(name));
  }
  if ((walls & engine::kEgressOpen) != 0) isolation.layers.emplace_back("egress_filtered");
  return isolation;
}

}  // namespace atl::backends::native
