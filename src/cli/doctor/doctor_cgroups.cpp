#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "cli/doctor/doctor.hpp"
#include "cli/doctor/probe.hpp"
#include "cli/doctor/words.hpp"

namespace atl::cli {
namespace {

constexpr const char* kGroup = "Control groups";

struct Controller {
  const char* name;
  const char* lost;  // what a sandbox lacks without it
};
constexpr std::array kControllers{
    Controller{"memory", "memory is held by RLIMIT_DATA, for each process alone"},
    Controller{"cpu", "processor time is not limited, and --cpus is refused"},
    Controller{"pids", "the number of processes is not limited, and --pids is refused"},
    Controller{"freezer", "a sandbox cannot be paused"},
};

bool is_v2(const char* path) {
  struct statfs info{};
  return ::statfs(path, &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC;
}

// "7:pids:/a" -> "/a" for the controller; v2 has an empty list.
std::optional<std::string> own_group(const std::string& lines, std::string_view controller) {
  std::string_view rest = lines;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::size_t first = line.find(':');
    std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string list = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (list.find("," + std::string(controller) + ",") != std::string::npos) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

Finding missing(const Controller& controller, std::string detail, std::string advice) {
  return {.group = kGroup,
          .name = controller.name,
          .mark = Mark::kWarn,
          .detail = std::move(detail) + ": " + controller.lost,
          .advice = std::move(advice)};
}

Finding controller_v1(const Controller& controller, const std::string& own) {
  std::optional<std::string> group = own_group(own, controller.name);
  if (!group) {
    return missing(controller, "not mounted", "Mount it: cgroup v1 or, better, cgroup v2.");
  }
  std::string root = std::string("/sys/fs/cgroup/") + controller.name;
  if (writable(root)) return {.group = kGroup, .name = controller.name, .detail = "v1, writable"};
  std::string advice = ::geteuid() == 0 ? "Mount " + root + " for writing." : "Run as root.";
  return missing(controller, "v1, not writable for this user", std::move(advice));
}

// Where the engine would make the groups of an ordinary user (engine/cgroup.cpp): the nearest one
// above that is this user's and holds no processes, or the own one.
std::string delegated_group(const std::string& own) {
  constexpr std::string_view kRoot = "/sys/fs/cgroup";
  auto ours = [](const std::string& folder) {
    return writable(folder) && writable(folder + "/cgroup.procs") &&
           writable(folder + "/cgroup.subtree_control");
  };
  for (std::string at = own; at.size() > kRoot.size() && ours(at); at.resize(at.rfind('/'))) {
    bool limits = small_file(at + "/cgroup.controllers").value_or("").contains("memory");
    if (limits && small_file(at + "/cgroup.procs").value_or("").empty()) return at;
  }
  return own;
}

Finding controller_v2(const Controller& controller, const std::string& folder) {
  std::string available = small_file(folder + "/cgroup.controllers").value_or("");
  bool has = std::string_view(controller.name) == "freezer";  // part of v2 itself
  for (std::string_view name : Words(available)) has = has || name == controller.name;
  if (!has) {
    return missing(
        controller, "v2, not handed down to " + folder,
        "Delegate it: systemd-run --user --scope -p Delegate=yes atoll …, or run as root.");
  }
  if (writable(folder + "/cgroup.procs") && writable(folder)) {
    return {.group = kGroup, .name = controller.name, .detail = "v2, writable"};
  }
  return missing(controller, "v2, not writable for this user",
                 "Run as root, or delegate a group to this user.");
}

}  // namespace

void examine_cgroups(Diagnosis& diagnosis) {
  std::string own = small_file("/proc/self/cgroup").value_or("");
  bool v2 = is_v2("/sys/fs/cgroup");
  std::string folder = "/sys/fs/cgroup";
  if (v2 && ::geteuid() != 0) folder = delegated_group(folder + own_group(own, "").value_or(""));
  for (const Controller& controller : kControllers) {
    diagnosis.findings.push_back(v2 ? controller_v2(controller, folder)
                                    : controller_v1(controller, own));
  }
}

}  // namespace atl::cli
