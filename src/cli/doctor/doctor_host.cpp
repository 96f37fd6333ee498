#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "base/program_folder.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/doctor/probe.hpp"

namespace atl::cli {
namespace {

bool has_effective(unsigned capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[capability / 32].effective >> (capability % 32) & 1) != 0;
}

// Where programs are found inside; the caller's PATH does not count there.
std::string find_inside(std::string_view program) {
  for (const char* folder : {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
    std::string path = folder + std::string(program);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Finding interpreter(const char* program, const char* language, const char* package) {
  Finding finding{.group = "Programs", .name = program, .detail = find_inside(program)};
  if (finding.detail.empty()) {
    finding.mark = Mark::kWarn;
    finding.detail = std::string("not in a system folder: no ") + language + " inside";
    finding.advice = std::string("apt-get install ") + package;
  }
  return finding;
}

std::string own_folder() { return program_folder().value_or(""); }

Finding own_program(const std::string& name) {
  std::string path = own_folder() + "/" + name;
  Finding finding{.group = "Programs", .name = name, .detail = path};
  if (::access(path.c_str(), X_OK) != 0) {
    finding.mark = Mark::kFail;
    finding.detail = "not beside atoll, in " + own_folder();
    finding.advice =
        "Install all programs of Atoll in one folder, or build with ./dev build release.";
  }
  return finding;
}

// What only some need.
Finding other_program(const char* name, const char* lost) {
  Finding finding = own_program(name);
  if (finding.mark == Mark::kFail) {
    finding.mark = Mark::kWarn;
    finding.detail += std::string(": ") + lost;
  }
  return finding;
}

// What a disk larger than half of the memory is made of.
Finding disk_images() {
  Finding finding{.group = "Programs", .name = "disk images"};
  finding.mark = Mark::kWarn;
  if (::geteuid() != 0) {
    finding.mark = Mark::kInfo;
    finding.detail = "only root has them: --disk is at most half of --memory";
  } else if (::access("/usr/sbin/mkfs.ext4", X_OK) != 0) {
    finding.detail = "no /usr/sbin/mkfs.ext4: --disk is at most half of --memory";
    finding.advice = "apt-get install e2fsprogs";
  } else if (::access("/dev/loop-control", R_OK | W_OK) != 0) {
    finding.detail = "no loop devices: --disk is at most half of --memory";
    finding.advice = "modprobe loop; a container needs /dev/loop-control and /dev/loop*";
  } else {
    finding.mark = Mark::kOk;
    finding.detail = "mkfs.ext4 and loop devices are there";
  }
  return finding;
}

}  // namespace

void examine_user(Diagnosis& diagnosis) {
  Finding finding{.group = "User", .name = "user", .detail = "root: every layer can be had"};
  if (::geteuid() != 0) {
    finding.mark = Mark::kWarn;
    finding.detail = "uid " + std::to_string(::geteuid()) +
                     ", without root: a sandbox has one uid, so guest and program share it "
                     "(own_uids is missing); limits "
                     "depend on the control groups below";
    finding.advice = "Run as root to have every layer.";
  } else if (!has_effective(CAP_SYS_ADMIN)) {
    finding.mark = Mark::kFail;
    finding.detail = "root without CAP_SYS_ADMIN, as in a container";
    finding.advice =
        "Give the container CAP_SYS_ADMIN, or run as an ordinary user with user namespaces.";
  }
  diagnosis.findings.push_back(finding);
}

void examine_programs(Diagnosis& diagnosis) {
  diagnosis.findings.push_back(own_program("atoll-launcher"));
  diagnosis.findings.push_back(own_program("atoll-guest"));
  diagnosis.findings.push_back(own_program("atoll-mounts"));
  diagnosis.findings.push_back(other_program("atoll-net", "no network in sandboxes"));
  diagnosis.findings.push_back(other_program("atoll-unpack", "no `atoll image import`"));
  diagnosis.findings.push_back(disk_images());
  diagnosis.findings.push_back(interpreter("python3", "Python", "python3"));
  diagnosis.findings.push_back(interpreter("node", "JavaScript", "nodejs"));
  diagnosis.findings.push_back(interpreter("bash", "Bash", "bash"));
}

void examine_settings(Diagnosis& diagnosis) {
  struct Setting {
    const char* name;
    const char* path;
    const char* worth_knowing;
  };
  constexpr Setting kSettings[] = {
      {"io_uring_disabled", "/proc/sys/kernel/io_uring_disabled",
       "sandboxes are denied io_uring either way"},
      {"shm_rmid_forced", "/proc/sys/kernel/shm_rmid_forced",
       "shared memory of a sandbox ends with its IPC namespace either way"},
      {"legacy_tiocsti", "/proc/sys/dev/tty/legacy_tiocsti",
       "1 lets programs type into the terminal they hold; a sandbox only holds its own"},
      {"unprivileged_userns", "/proc/sys/kernel/unprivileged_userns_clone",
       "0 means that only root can make sandboxes"},
      {"max_user_namespaces", "/proc/sys/user/max_user_namespaces", "each sandbox takes one"},
      {"pid_max", "/proc/sys/kernel/pid_max", "shared by all sandboxes"},
  };
  for (const Setting& setting : kSettings) {
    std::optional<std::string> value = small_file(setting.path);
    if (!value) continue;  // not on this kernel
    diagnosis.findings.push_back({.group = "Settings worth knowing",
                                  .name = setting.name,
                                  .mark = Mark::kInfo,
                                  .detail = *value + ": " + setting.worth_knowing});
  }
}

}  // namespace atl::cli
