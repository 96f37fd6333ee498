#include "backends/docker/container.hpp"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "confine/walls.hpp"

namespace atl::backends::docker {
namespace {

using boost::json::array;
using boost::json::object;
using confine::Wall;

constexpr std::uint64_t kCpuPeriod = 100'000;  // µs
constexpr std::uint64_t kLeastQuota = 1000;
constexpr std::uint64_t kSharedMemory = 64 << 20;
constexpr const char* kCovered = "ro,noexec,nosuid,nodev,size=4096,mode=755";
constexpr const char* kResolver = "198.18.0.53";  // of egress
constexpr int kLandlockScopes = 6;                // the ABI that brought them

// Files live in memory here, so they get half of it at most: then a full disk is ENOSPC, and never
// an OOM kill.
std::uint64_t disk_of(const sandbox::Limits& limits) {
  return std::min(limits.disk_bytes, limits.memory_bytes / 2);
}

// No inodes: as many as the kernel likes, which the memory limit counts.
std::string tmpfs_options(std::uint64_t bytes, std::uint64_t inodes, const std::string& owner) {
  std::string limit = inodes == 0 ? "" : ",nr_inodes=" + std::to_string(inodes);
  return "rw,exec,nosuid,nodev,size=" + std::to_string(bytes) + limit + owner;
}

Result<object> tmpfs_mounts(const sandbox::SandboxSpec& spec, const ContainerPlan& plan,
                            const EngineFacts& facts) {
  const sandbox::Limits& limits = spec.limits;
  std::uint64_t disk = disk_of(limits);
  if (spec.asked.disk && disk < limits.disk_bytes) {
    return fail(Code::kLimitUnenforceable,
                "docker keeps a sandbox's files in memory, half of it at most; ask for less disk "
                "or for more memory");
  }
  std::uint64_t inodes = limits.inodes != 0 ? limits.inodes : limits.disk_bytes / 4096;
  std::string user = std::to_string(plan.uid);
  std::string owner = facts.plain_tmpfs ? ",mode=777" : ",mode=755,uid=" + user + ",gid=" + user;
  // Parts of one size, because the engine cannot bind two folders of one tmpfs.
  auto parts = static_cast<std::uint64_t>(4 + plan.policy.writable.size());
  std::uint64_t part = disk / parts;
  inodes = facts.plain_tmpfs ? 0 : std::max<std::uint64_t>(inodes / parts, 16);
  object mounts;
  mounts["/workspace"] = tmpfs_options(part * 3, inodes * 3, owner);
  mounts["/tmp"] = tmpfs_options(part, inodes, ",mode=1777");
  for (const std::string& path : plan.policy.writable) {
    mounts[path] = tmpfs_options(part, inodes, owner);
  }
  // A volume that the image declares would be writable, and as large as the engine's disk.
  for (const std::string& path : plan.volumes) {
    if (!mounts.contains(path)) mounts[path] = kCovered;
  }
  for (const std::string& path : plan.policy.read_only) mounts[path] = kCovered;
  for (const std::string& path : plan.policy.hidden) mounts.erase(path);
  return mounts;
}

object mounted(std::string source, std::string target, bool read_only) {
  return {{"Type", "bind"},
          {"Source", std::move(source)},
          {"Target", std::move(target)},
          {"ReadOnly", read_only}};
}

// The engine takes paths, not descriptors. Whoever may speak to it can mount anything anyway.
Result<std::string> path_of(const UniqueFd& source) {
  char path[PATH_MAX] = {};
  std::string link = "/proc/self/fd/" + std::to_string(source.get());
  if (::readlink(link.c_str(), path, sizeof path - 1) < 0) return fail_errno("finding a mount");
  return std::string(path);
}

Result<array> bind_mounts(const sandbox::SandboxSpec& spec, const ContainerPlan& plan) {
  array mounts;
  mounts.push_back(mounted(plan.guest_program, "/opt/atoll/guest", true));
  mounts.push_back(mounted(plan.place, "/run/atoll", false));
  for (const std::string& path : plan.policy.hidden_files) {
    mounts.push_back(mounted(plan.hidden_file, path, true));
  }
  for (const std::string& path : plan.policy.hidden) {
    mounts.push_back(mounted(plan.hidden_folder, path, true));
  }
  for (const sandbox::Mount& mount : spec.mounts) {
    ATOLL_TRY(std::string source, path_of(mount.source));
    mounts.push_back(mounted(std::move(source), mount.target, mount.read_only));
  }
  return mounts;
}

Result<void> check_asked(const sandbox::SandboxSpec& spec, const EngineFacts& facts) {
  const sandbox::AskedLimits& asked = spec.asked;
  auto refuse = [](const char* limit, const char* more = "") {
    return fail(Code::kLimitUnenforceable,
                std::string("the Docker engine cannot enforce the ") + limit + " limit" + more);
  };
  if (asked.memory && !facts.memory_limit) return refuse("memory");
  if (asked.cpus && !facts.cpu_limit) return refuse("cpu");
  if (asked.pids && !facts.pids_limit) return refuse("pids");
  // What is written to the root is in the container's own layer, as large as the engine's disk.
  if (asked.disk && spec.writable_root) return refuse("disk", " of a writable root; native can");
  return {};
}

array guest_command(const ContainerPlan& plan) {
  array words{"/opt/atoll/guest", "--listen", "/run/atoll/guest.sock", "--token-file",
              "/run/atoll/token"};
  if (plan.once) words.push_back("--once");
  if (!plan.cap_add.empty()) words.push_back("--keep-caps");
  return words;
}

object ulimit(const char* name, std::uint64_t value) {
  return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

bool has_ipv6() { return ::access("/proc/sys/net/ipv6/conf/all/disable_ipv6", F_OK) == 0; }

// Of this host's kernel, which is the engine's: containers and guest share its folders.
bool has_landlock_scopes() {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi >= kLandlockScopes;
}

}  // namespace

Json limits_body(const sandbox::Limits& limits, const EngineFacts& facts) {
  object body;
  if (facts.memory_limit) {
    body["Memory"] = limits.memory_bytes;
    body["MemorySwap"] = limits.memory_bytes;  // both together: no swap
  }
  if (facts.cpu_limit) {
    auto quota = static_cast<std::uint64_t>(std::llround(limits.cpus * kCpuPeriod));
    body["CpuPeriod"] = kCpuPeriod;
    body["CpuQuota"] = std::max(quota, kLeastQuota);
  }
  if (facts.pids_limit) body["PidsLimit"] = limits.pids + 1;  // the guest is one of them
  return body;
}

Result<Json> container_body(const sandbox::SandboxSpec& spec, const ContainerPlan& plan,
                            const EngineFacts& facts) {
  ATOLL_CHECK(check_asked(spec, facts));
  ATOLL_TRY(object tmpfs, tmpfs_mounts(spec, plan, facts));
  ATOLL_TRY(array mounts, bind_mounts(spec, plan));
  object host = limits_body(spec.limits, facts).get_object();
  host["NetworkMode"] = plan.network;
  host["ReadonlyRootfs"] = !spec.writable_root;
  host["SecurityOpt"] = array{"no-new-privileges"};
  host["CapDrop"] = array{"ALL"};
  if (!plan.cap_add.empty()) host["CapAdd"] = array(plan.cap_add.begin(), plan.cap_add.end());
  if (plan.network == "none") {
    // Without a network the engine's /etc/hosts does not have the container's own name.
    host["ExtraHosts"] = array{spec.hostname + ":127.0.0.1"};
    // One may be opened later, for both families, and no host's resolver is of any use then.
    if (!facts.plain_tmpfs) {
      host["Dns"] = array{kResolver};
      host["DnsSearch"] = array{"."};
      if (has_ipv6()) host["Sysctls"] = object{{"net.ipv6.conf.all.disable_ipv6", "0"}};
    }
  }
  host["Init"] = false;
  host["AutoRemove"] = plan.once;
  host["IpcMode"] = "private";
  host["ShmSize"] = std::min(kSharedMemory, spec.limits.memory_bytes / 8);
  host["LogConfig"] = object{{"Type", "none"}};
  host["Ulimits"] = array{ulimit("nofile", spec.limits.open_files), ulimit("core", 0)};
  if (facts.has_cgroup_namespace) host["CgroupnsMode"] = "private";
  host["Tmpfs"] = std::move(tmpfs);
  host["Mounts"] = std::move(mounts);
  std::string user = std::to_string(plan.uid);
  object body{{"Image", plan.image},
              {"Hostname", spec.hostname},
              {"User", user + ":" + user},
              {"WorkingDir", "/"},
              {"Entrypoint", guest_command(plan)},
              {"Cmd", array{}},
              {"Env", array{}},
              {"Tty", false},
              {"OpenStdin", false},
              {"StopSignal", "SIGTERM"},
              {"Labels", object{{kInstanceLabel, plan.instance}, {kSandboxLabel, spec.id.str()}}},
              {"HostConfig", std::move(host)}};
  if (plan.checks_health) body["Healthcheck"] = object{{"Test", array{"NONE"}}};
  return body;
}

sandbox::Isolation isolation_of(const EngineFacts& facts, const Openings& openings) {
  sandbox::Isolation isolation;
  auto report = [&](Wall wall, bool stands) {
    (stands ? isolation.layers : isolation.missing).emplace_back(confine::wall_name(wall));
  };
  report(Wall::kUserNs, facts.user_namespace);
  report(Wall::kPidNs, true);
  report(Wall::kMountNs, true);
  report(Wall::kNetNs, !openings.has_network);
  if (openings.egress_filtered) isolation.layers.emplace_back("egress_filtered");
  report(Wall::kIpcNs, true);
  report(Wall::kUtsNs, true);
  report(Wall::kCgroupNs, facts.has_cgroup_namespace);
  report(Wall::kMemoryLimit, facts.memory_limit);
  report(Wall::kCpuLimit, facts.cpu_limit);
  report(Wall::kPidsLimit, facts.pids_limit);
  report(Wall::kNoCapabilities, openings.caps.empty());
  for (const std::string& name : openings.caps) {
    std::string missing = "no_cap_";
    for (char letter : name) missing += static_cast<char>(letter | 0x20);
    isolation.missing.push_back(std::move(missing));
  }
  report(Wall::kNoNewPrivs, true);
  report(Wall::kSeccomp, true);  // the guest's own, behind the engine's
  report(Wall::kLandlock, has_landlock_scopes());
  report(Wall::kReadOnlyRoot, !openings.writable_root);
  report(Wall::kMaskedProc, true);
  report(Wall::kOwnUids, false);  // without capabilities the guest cannot give programs another
  report(Wall::kDiskLimit, !openings.writable_root);
  report(Wall::kFileLimits, true);
  report(Wall::kCleanStart, true);
  return isolation;
}

}  // namespace atl::backends::docker
