#include "backends/srt/cgroup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/cgroup_limits.hpp"
#include "base/write_text.hpp"

namespace atl::backends::srt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRoot = "/sys/fs/cgroup";
constexpr const char* kNames[Cgroup::kControllers] = {"memory", "cpu", "cpuacct", "pids"};

std::string root_of(int controller) {
  return has_unified_cgroups() ? kRoot : std::string(kRoot) + "/" + kNames[controller];
}

// One for each user that Atoll may be.
std::string group_of(unsigned uid) { return "/atoll/srt-" + std::to_string(uid); }

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Behind `key`, or at the begin of the file.
std::uint64_t read_number(const std::string& path, const std::string& key = "") {
  std::string text = read_text(path);
  std::size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
}

void give(const std::string& path, unsigned uid, unsigned gid) {
  (void)(::chown(path.c_str(), uid, gid) == 0);  // what was not given is missing later
}

// Where processes sit in a group that is not the host's root, none below it can have a controller.
bool can_hand_down(const std::string& root) {
  return ::access((root + "/cgroup.type").c_str(), F_OK) != 0 ||
         read_text(root + "/cgroup.procs").empty();
}

void hand_over_unified(const std::string& root, unsigned uid, unsigned gid) {
  std::string ours = root + group_of(uid);
  std::string servers = ours + "/servers";
  ::mkdir(servers.c_str(), 0755);
  for (const std::string& group : {root, root + "/atoll", ours}) {
    if (group == root && !can_hand_down(root)) return;
    for (const char* name : {"+memory", "+cpu", "+pids"}) {
      write_text(group + "/cgroup.subtree_control", name);
    }
  }
  for (const std::string& group : {ours, servers}) {
    give(group, uid, gid);
    give(group + "/cgroup.procs", uid, gid);
  }
  write_text(servers + "/cgroup.procs", "0");
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> all;
  std::error_code failed;
  for (const auto& task :
       fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", failed)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) all.push_back(child);
  }
  return all;
}

}  // namespace

void hand_over_cgroups(unsigned uid, unsigned gid) {
  if (::geteuid() != 0) return;
  bool unified = has_unified_cgroups();
  for (int i = 0; i < (unified ? 1 : Cgroup::kControllers); ++i) {
    std::string root = root_of(i);
    ::mkdir((root + "/atoll").c_str(), 0755);
    ::mkdir((root + group_of(uid)).c_str(), 0755);
    if (unified) {
      hand_over_unified(root, uid, gid);
    } else {
      give(root + group_of(uid), uid, gid);
    }
  }
}

bool Cgroup::is_there() {
  return ::access((root_of(kMemory) + group_of(::geteuid())).c_str(), W_OK) == 0;
}

Cgroup Cgroup::of(const SandboxId& id) {
  Cgroup group;
  for (int i = 0; i < kControllers; ++i)
    group.folder_[i] = root_of(i) + group_of(::geteuid()) + "/" + id.str();
  return group;
}

void Cgroup::make(const sandbox::Limits& limits) {
  for (const std::string& folder : folder_) ::mkdir(folder.c_str(), 0755);
  set_limits(limits);
}

void Cgroup::set_limits(const sandbox::Limits& limits) {
  bool unified = has_unified_cgroups();
  auto in = [this](Controller controller) {
    return [folder = folder_[controller]](const char* file, std::uint64_t value) {
      return write_text(folder + "/" + file, std::to_string(value));
    };
  };
  auto quota = static_cast<std::uint64_t>(limits.cpus * 100'000);  // µs of every 100 ms
  limited_[kMemory] = set_memory_limit(unified, limits.memory_bytes, in(kMemory));
  limited_[kCpu] =
      in(kCpu)(unified ? "cpu.max" : "cpu.cfs_quota_us", std::max<std::uint64_t>(quota, 1000));
  limited_[kPids] = in(kPids)("pids.max", limits.pids);
}

void Cgroup::take(pid_t pid) {
  for (int i = 0; i < kControllers; ++i) {
    taken_[i] = write_text(folder_[i] + "/cgroup.procs", std::to_string(pid));
  }
}

sandbox::Usage Cgroup::usage() const {
  bool unified = has_unified_cgroups();
  const std::string& memory = folder_[kMemory];
  sandbox::Usage usage;
  usage.cpu_seconds =
      unified ? static_cast<double>(read_number(folder_[kCpu] + "/cpu.stat", "usage_usec ")) / 1e6
              : static_cast<double>(read_number(folder_[kCpuAccount] + "/cpuacct.usage")) / 1e9;
  usage.memory_bytes =
      read_number(memory + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
  usage.memory_peak_bytes =
      read_number(memory + (unified ? "/memory.peak" : "/memory.max_usage_in_bytes"));
  usage.oom_kills =
      read_number(memory + (unified ? "/memory.events" : "/memory.oom_control"), "oom_kill ");
  usage.pids = read_number(folder_[kPids] + "/pids.current");
  return usage;
}

Result<void> Cgroup::remove() const {
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kPause{10};
  for (const std::string& folder : folder_) {
    int tries = 0;
    // Busy while the last of its processes is being buried.
    while (::rmdir(folder.c_str()) != 0 && errno == EBUSY && ++tries < kTries) {
      std::this_thread::sleep_for(kPause);
    }
    if (tries == kTries) return fail(Code::kBackend, "the control group of the sandbox is in use");
  }
  return {};
}

pid_t find_guest(pid_t srt) {
  std::vector<pid_t> todo{srt};
  while (!todo.empty()) {
    pid_t pid = todo.back();
    todo.pop_back();
    if (read_text("/proc/" + std::to_string(pid) + "/comm") == "atoll-guest\n") return pid;
    for (pid_t child : children_of(pid)) todo.push_back(child);
  }
  return 0;
}

}  // namespace atl::backends::srt
