#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/doctor/doctor.hpp"
#include "cli/doctor/probe.hpp"
#include "engine/egress_sockets.hpp"

namespace atl::cli {
namespace {

constexpr const char* kGroup = "Namespaces and mounts";

struct Kind {
  const char* name;
  int flag;
};
constexpr Kind kKinds[] = {{"mount", CLONE_NEWNS},      {"pid", CLONE_NEWPID},
                           {"network", CLONE_NEWNET},   {"ipc", CLONE_NEWIPC},
                           {"host name", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}};

int nothing() { return 0; }

// A new proc is refused where the one we see is covered in part, as in most containers.
int mount_proc() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  return ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0
                                                                                          : errno;
}

int mount_tmpfs() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  return ::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV,
                 "size=64k,nr_inodes=16,mode=0700") == 0
             ? 0
             : errno;
}

std::string why_no_user_namespaces() {
  if (small_file("/proc/sys/user/max_user_namespaces") == "0") {
    return "Allow them: sysctl -w user.max_user_namespaces=15000";
  }
  if (small_file("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "Allow them: sysctl -w kernel.unprivileged_userns_clone=1, or run as root.";
  }
  if (small_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "Allow them: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or run as root.";
  }
  return "Run as root, or in a container that allows them (its seccomp profile or policy denies "
         "clone).";
}

Finding user_namespaces() {
  int error = errno_in_user_namespace(0, nothing);
  Finding finding{.group = kGroup, .name = "user", .detail = "can be made"};
  if (error != 0) {
    finding.mark = Mark::kFail;
    finding.detail = std::string("refused: ") + std::strerror(error);
    finding.advice = why_no_user_namespaces();
  }
  return finding;
}

Finding other_kind(const Kind& kind) {
  int error = errno_in_user_namespace(kind.flag, nothing);
  Finding finding{.group = kGroup, .name = kind.name, .detail = "can be made"};
  if (error != 0) {
    finding.mark = Mark::kFail;
    finding.detail = std::string("refused: ") + std::strerror(error);
    finding.advice =
        "Use a kernel with this namespace, and look at /proc/sys/user/max_*_namespaces.";
  }
  return finding;
}

Finding proc() {
  int error = errno_in_user_namespace(CLONE_NEWNS | CLONE_NEWPID, mount_proc);
  Finding finding{
      .group = kGroup, .name = "/proc", .detail = "is unmasked: a sandbox can have its own"};
  if (error != 0) {
    finding.mark = Mark::kFail;
    finding.detail = std::string("a new one is refused: ") + std::strerror(error);
    finding.advice =
        "In a container, unmask it: --security-opt systempaths=unconfined (docker, podman).";
  }
  return finding;
}

Finding tmpfs() {
  int error = errno_in_user_namespace(CLONE_NEWNS, mount_tmpfs);
  Finding finding{
      .group = kGroup, .name = "tmpfs", .detail = "can be mounted with size and inode limits"};
  if (error != 0) {
    finding.mark = Mark::kFail;
    finding.detail = std::string("refused: ") + std::strerror(error);
    finding.advice = "Use a kernel with CONFIG_TMPFS=y; in a container, allow mount in its policy.";
  }
  return finding;
}

int open_egress() {
  UniqueFd listener, dns;
  if (int error = engine::route_to_egress()) return error;
  return engine::make_egress_sockets(listener, dns) ? 0 : errno;
}

// Without it sandboxes work, but have no network.
Finding egress() {
  int error = errno_in_user_namespace(CLONE_NEWNET, open_egress);
  Finding finding{.group = kGroup,
                  .name = "egress",
                  .detail = "all ports: sandboxes can have a network with rules"};
  if (error != 0) {
    finding.mark = Mark::kWarn;
    finding.detail = std::string("none: sandboxes have no network: ") + std::strerror(error);
    finding.advice =
        "Use a kernel with CONFIG_NF_TABLES_INET and CONFIG_NFT_TPROXY; where they are modules, "
        "modprobe nft_tproxy.";
  }
  return finding;
}

}  // namespace

void examine_namespaces(Diagnosis& diagnosis) {
  diagnosis.findings.push_back(user_namespaces());
  if (diagnosis.findings.back().mark == Mark::kFail) return;  // the others need it
  for (const Kind& kind : kKinds) diagnosis.findings.push_back(other_kind(kind));
  diagnosis.findings.push_back(proc());
  diagnosis.findings.push_back(tmpfs());
  diagnosis.findings.push_back(egress());
}

}  // namespace atl::cli
