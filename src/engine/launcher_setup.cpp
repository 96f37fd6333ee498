#include <linux/mount.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "engine/launcher.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

constexpr const char* kSharedFolder = "/run/atoll";

// Without privileges the launcher becomes root of a user namespace that knows one uid.
Outcome<void> enter_user_namespace() {
  Text uids("0 %u 1\n", ::geteuid());
  Text gids("0 %u 1\n", ::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !write_id_maps(::getpid(), uids, gids, true)) {
    return failed(Step::kUserNamespace);
  }
  return {};
}

// 0711: a client reaches its sockets by name and lists nothing. Somebody else's folder would let
// him put his own locks and records under our names.
Outcome<UniqueFd> open_own_folder(const std::string& path) {
  UniqueFd folder;
  do {  // again where a launcher that ends has just removed it
    if (!make_folder(AT_FDCWD, path.c_str(), 0711)) return failed(Step::kRunFolder);
    folder = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY);
  } while (!folder && errno == ENOENT);
  struct stat info{};
  if (!folder || ::fstat(folder.get(), &info) != 0) return failed(Step::kRunFolder);
  bool ours = info.st_uid == ::geteuid() && (info.st_mode & 022) == 0;
  if (!ours) return failed(Step::kRunFolder, EPERM);
  return folder;
}

// Locked, so that a launcher that ends does not take it away from one that begins. A launcher that
// looks for sandboxes waits for the one before, which lost its client and is about to end: what
// that one still makes must be on record first. It does not wait for one that has a client, nor
// when its own is gone: launchers of dead servers must not pile up.
Outcome<UniqueFd> open_run_folder(const std::string& path, bool once, pollfd client) {
  constexpr int kPatience = 2000;  // ms
  // After a boot also the folder above a server's is missing.
  (void)make_folder(AT_FDCWD, path.substr(0, path.rfind('/')).c_str(), 0711);
  int waited = once ? kPatience : 0;
  for (struct stat info{};;) {
    ATOLL_TRY(UniqueFd folder, open_own_folder(path));
    for (; waited < kPatience && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++waited) {
      if (::poll(&client, 1, 1 /* ms */) > 0) return failed(Step::kRunFolder, EPIPE);
    }
    bool seen = ::flock(folder.get(), LOCK_SH) == 0 && ::fstat(folder.get(), &info) == 0;
    if (!seen || info.st_nlink != 0) return folder;
  }
}

// Started through a read-only mount of its own, so that nobody can write to it by way of
// /proc/1/exe, whatever the file's mode says.
Outcome<UniqueFd> open_program(const std::string& path) {
  mount_attr change{.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
  constexpr unsigned kFlags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
  UniqueFd tree(static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), kFlags)));
  bool closed = tree && ::syscall(442 /* mount_setattr */, tree.get(), "", AT_EMPTY_PATH, &change,
                                  sizeof change) == 0;
  if (!closed) return failed(Step::kExecGuest);
  return tree;
}

}  // namespace

Outcome<void> set_up_launcher(LauncherState& state, const UniqueFd& client) {
  LauncherOptions& options = state.options;
  state.rootless = ::geteuid() != 0;
  if (state.rootless) ATOLL_CHECK(enter_user_namespace());
  // Before it starts anything: helpers begin with these walls.
  if (!state.rootless && !confine_launcher()) return failed(Step::kCapabilities);
  ATOLL_TRY(state.run, open_run_folder(options.run_folder, options.once, {client.get(), 0, 0}));
  // Uids and cgroups are the host's: one place says who has which. Rootless has neither.
  ATOLL_TRY(state.shared, open_own_folder(state.rootless ? options.run_folder : kSharedFolder));
  state.host_mounts.reset(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  state.host_network.reset(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  state.host_pids.reset(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  if (!state.host_mounts || !state.host_network || !state.host_pids) return failed(Step::kTemplate);
  state.cgroups = state.rootless ? Cgroups::delegated(std::move(options.cgroup), state.shared)
                                 : Cgroups::detect();
  // Whether it is there is seen when a disk is needed. A server's own folder may lie below it, and
  // nothing else in it has a name that others may open.
  const char* disks = options.disk_folder.c_str();
  ::mkdir(disks, 0711);
  state.disks.reset(::open(disks, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto path = [&](const char* name) { return options.programs + name; };
  ATOLL_TRY(state.guest_program, open_program(path("/atoll-guest")));
  ATOLL_TRY(state.mounts_program, open_program(path("/atoll-mounts")));
  state.net_program = open_program(path("/atoll-net")).value_or(UniqueFd());
  ATOLL_TRY(Helper maker, find_template(state));
  if (!state.rootless) {  // missing ones: no zygotes
    ZygoteParts& parts = state.zygote_parts;
    parts.program = open_program(path("/atoll-zygote")).value_or(UniqueFd());
    parts.driver.reset(::open(path("/atoll-driver.py").c_str(), O_RDONLY | O_CLOEXEC));
    parts.library.reset(::open(path("/atoll-enter.so").c_str(), O_PATH | O_CLOEXEC));
  }
  bool found = options.once && !state.rootless && state.slots.keep_pinned();
  if (!found) ATOLL_CHECK(order_slots(state, range_of(state, {}), options.once ? 1 : 4));
  return enter_template(state, maker);
}

}  // namespace atl::engine
