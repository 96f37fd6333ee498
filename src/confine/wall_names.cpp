#include "confine/walls.hpp"

namespace atl::confine {

std::string_view wall_name(Wall wall) {
  switch (wall) {
    case Wall::kUserNs: return "user_namespace";
    case Wall::kPidNs: return "pid_namespace";
    case Wall::kMountNs: return "mount_namespace";
    case Wall::kNetNs: return "network_namespace";
    case Wall::kIpcNs: return "ipc_namespace";
    case Wall::kUtsNs: return "uts_namespace";
    case Wall::kCgroupNs: return "cgroup_namespace";
    case Wall::kMemoryLimit: return "memory_limit";
    case Wall::kCpuLimit: return "cpu_limit";
    case Wall::kPidsLimit: return "pids_limit";
    case Wall::kNoCapabilities: return "no_capabilities";
    case Wall::kNoNewPrivs: return "no_new_privs";
    case Wall::kSeccomp: return "seccomp";
    case Wall::kLandlock: return "landlock_scopes";
    case Wall::kReadOnlyRoot: return "read_only_root";
    case Wall::kMaskedProc: return "masked_proc";
    case Wall::kOwnUids: return "own_uids";
    case Wall::kDiskLimit: return "disk_limit";
    case Wall::kFileLimits: return "file_limits";
    case Wall::kCleanStart: return "clean_start";
  }
  return {};
}

}  // namespace atl::confine
