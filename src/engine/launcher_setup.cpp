#include "engine/launcher_setup.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "confine/walls.hpp"
#include "engine/idmap.hpp"
#include "engine/template_cache.hpp"

namespace atl::engine {
namespace {

Failure failure(Step step, const Error& error) {
  return {step, error.errno_value() != 0 ? error.errno_value() : EIO};
}

// Without privileges the launcher becomes root of a user namespace that knows one uid.
Result<void> enter_user_namespace() {
  IdPair own{0, ::geteuid()};
  IdPair group{0, ::getegid()};
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return fail_errno("unshare user namespace");
  return write_own_maps(own, group);
}

// Started through a read-only mount of its own, so that nobody can write to it by way of
// /proc/1/exe, whatever the file's mode says.
Result<UniqueFd> open_guest(const std::string& path) {
  UniqueFd tree(::open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree) return fail_errno("open guest program");
  mount_attr attr{.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH, &attr, sizeof attr) != 0) return fail_errno("mount_setattr");
  return tree;
}

constexpr const char* kSharedFolder = "/run/atoll";

// 0711: a client reaches its sockets by name and lists nothing. Somebody else's folder would let him
// put his own locks and records under our names.
int open_own_folder(const char* path, UniqueFd& folder) {
  if (::mkdir(path, 0711) != 0 && errno != EEXIST) return errno;
  folder.reset(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0) return errno;
  return info.st_uid == ::geteuid() && (info.st_mode & 022) == 0 ? 0 : EPERM;
}

}  // namespace

Failure set_up_launcher(const LauncherOptions& options, LauncherState& state) {
  state.rootless = ::geteuid() != 0;
  state.client_uid = options.client_uid;
  state.mount_owner = options.mount_owner;
  if (state.rootless) {
    if (Result<void> entered = enter_user_namespace(); !entered) return failure(Step::kUserNamespace, entered.error());
  }
  if (int error = open_own_folder(options.run_folder.c_str(), state.run); error != 0) return {Step::kRunFolder, error};
  // Uids and cgroups are the host's, so who has which is settled in one place. Rootless has neither.
  const char* shared = state.rootless ? options.run_folder.c_str() : kSharedFolder;
  if (int error = open_own_folder(shared, state.shared); error != 0) return {Step::kRunFolder, error};
  state.host_mounts.reset(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!state.host_mounts) return {Step::kTemplate, errno};
  if (!state.rootless) state.cgroups = Cgroups::detect();

  if (!options.disk_folder.empty()) {
    ::mkdir(options.disk_folder.c_str(), 0700);  // whether it is there is seen when a disk is needed
    state.disks.reset(::open(options.disk_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  Result<UniqueFd> guest = open_guest(options.guest_program);
  if (!guest) return failure(Step::kExecGuest, guest.error());
  state.guest_program = std::move(*guest);
  Result<Slot> slot = claim_slot(state.shared, state.cgroups, state.rootless);
  if (!slot) return failure(Step::kSlot, slot.error());
  state.ready_slot = std::move(*slot);
  Result<UniqueFd> host_template = enter_host_template(state.shared, state.host_mounts, state.rootless);
  if (!host_template) return failure(Step::kTemplate, host_template.error());
  state.host_template = std::move(*host_template);
  return {};
}

}  // namespace atl::engine
