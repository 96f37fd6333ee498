#include "engine/zygote.hpp"

#include <sched.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/send_fds.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

// Below the uids of slots.
constexpr uid_t kFirstZygoteUid = 0x5fff0000;
constexpr uid_t kUidsEach = 0x1000;
constexpr unsigned kMaxZygotes = 16;
constexpr auto kSame = static_cast<uid_t>(-1);

Text socket_name(const BoxId& name) { return Text("zygotes/%s.sock", name.text.data()); }

UniqueFd connect_to(const UniqueFd& shared, const BoxId& name) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  Text path("/proc/self/fd/%d/%s", shared.get(), socket_name(name).c_str());
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  return socket;
}

// As zygote.py reads it.
struct Introduction {
  std::uint32_t magic = 0x47595a41;  // "AZYG"
  std::uint32_t version = 1;
  std::uint32_t user_uid = 0;
  std::uint32_t user_gid = 0;
  std::uint32_t open_files = 0;
  std::uint32_t task_count = 0;
  std::uint64_t data_bytes = 0;
};

// One of the places that zygotes of this host can have. The file says who had it last, and carries
// a lock of that process alone (POSIX): what its modules fork has no part in it.
struct Place {
  Text file;
  UniqueFd life;
  SlotCgroup leaf;  // behind those of the slots
  struct {
    BoxId name;
    uid_t uid = 0;
  } tenant;
};

// A free one; an empty one if `name` lives. On the way, what is left of zygotes that are no more
// ends: processes that their modules have started. `turn` is then the lock of all places.
Outcome<Place> take_place(const LauncherState& state, const BoxId& name, UniqueFd& turn) {
  turn = open_at(state.shared.get(), "zygotes/lock", O_CREAT);
  if (!turn || ::flock(turn.get(), LOCK_EX) != 0) return failed(Step::kZygote);
  Outcome<Place> found = failed(Step::kZygote, EAGAIN);
  for (unsigned number = 0; number < kMaxZygotes; ++number) {
    Place place{.file = Text("zygotes/%u", number)};
    place.life = open_at(state.shared.get(), place.file.c_str(), O_CREAT);
    struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (::fcntl(place.life.get(), F_GETLK, &lock) != 0) return failed(Step::kZygote);
    bool had = ::pread(place.life.get(), &place.tenant, sizeof place.tenant, 0) > 0;
    bool taken = lock.l_type != F_UNLCK;
    if (taken && place.tenant.name.text == name.text) return Place{.file = place.file};
    if (taken) continue;
    ATOLL_TRY(place.leaf, state.cgroups.open_slot(kMaxSlots + number));
    // Another uid each time: the sandboxes of a zygote that died belong to its uid, and live on.
    place.tenant = {name,
                    kFirstZygoteUid + number * kUidsEach + (place.tenant.uid + 1) % kUidsEach};
    if (place.leaf.end_all() && !found) found = std::move(place);
    if (!had && found) break;  // nor has anybody had those that follow
  }
  return found;
}

// In the host's mount namespace, where the file lives.
Outcome<UniqueFd> lend_library(const LauncherState& state) {
  if (!state.enter_library || ::setns(state.host_mounts.get(), CLONE_NEWNS) != 0) {
    return failed(Step::kZygote, EOPNOTSUPP);
  }
  UniqueFd tree = clone_mount(state.enter_library.get(), "");
  constexpr std::uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  bool done = tree && change_mount(tree.get(), "", {.attr_set = kFlags});
  Outcome<UniqueFd> result = done ? Outcome<UniqueFd>(std::move(tree)) : failed(Step::kZygote);
  if (::setns(state.host_template.get(), CLONE_NEWNS) != 0) ::abort();
  return result;
}

}  // namespace

OwnedBy::OwnedBy(const ZygoteLink& link) {
  changed_ = link && ::syscall(SYS_setresuid, kSame, link.owner, kSame) == 0;
}

void OwnedBy::end() {
  if (std::exchange(changed_, false) && ::syscall(SYS_setresuid, kSame, 0, kSame) != 0) ::abort();
}

ZygoteLink find_zygote(const UniqueFd& shared, const BoxId& name) {
  ZygoteLink link;
  struct stat info{};
  int ends[2];
  if (name.text[0] == '\0' ||
      ::fstatat(shared.get(), socket_name(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return link;
  }
  link.its_end.reset(ends[0]);
  link.guest_end.reset(ends[1]);
  link.owner = info.st_uid;
  link.zygote = connect_to(shared, name);
  return link;
}

bool introduce(const ZygoteLink& link, const UniqueFd& pidfd, const BoxPlan& plan) {
  int fds[2 + kControllerCount] = {link.its_end.get(), pidfd.get()};
  std::size_t count = 2;
  for (const UniqueFd& tasks : plan.user_tasks) {
    if (tasks) fds[count++] = tasks.get();
  }
  Introduction words{.user_uid = plan.user_uid,
                     .user_gid = plan.user_uid,
                     .open_files = plan.request.limits.open_files,
                     .task_count = static_cast<std::uint32_t>(count - 2)};
  return send_fds(link.zygote.get(), &words, sizeof words, std::span(fds, count)) > 0;
}

Outcome<UniqueFd> start_zygote(const LauncherState& state, const ZygoteRequest& request,
                               const UniqueFd& script, const UniqueFd& word) {
  // Without cgroups nothing would bound it.
  if (state.rootless || !state.cgroups.available()) return failed(Step::kZygote, EOPNOTSUPP);
  if (!make_folder(state.shared.get(), "zygotes", 0700)) return failed(Step::kZygote);
  UniqueFd turn;  // the new process holds it too, until it is in its leaf and has its own lock
  ATOLL_TRY(Place place, take_place(state, request.header.id, turn));
  if (!place.life) return UniqueFd();
  bool named = write_file(state.shared.get(), place.file.c_str(), bytes_of(place.tenant));
  ZygotePlan plan{.uid = place.tenant.uid};
  Text name = socket_name(request.header.id);
  ::unlinkat(state.shared.get(), name.c_str(), 0);  // of one that died
  UniqueFd socket = listen_at(state.shared, name.c_str(), SOCK_SEQPACKET, &plan.uid, false);
  if (!named || !socket) return failed(Step::kZygote);

  std::uint32_t walls = 0;
  // It has one thread that works. A share of less than a sandbox's would slow down all of them.
  constexpr unsigned kOneCore = 1000, kProcesses = 64;
  ATOLL_CHECK(place.leaf.set_limits(
      {.memory_bytes = request.memory_bytes, .cpu_milli = kOneCore, .pids = kProcesses}, walls));
  ControllerFds unused;
  ATOLL_CHECK(state.cgroups.open_tasks(place.leaf, plan.tasks, unused));
  ATOLL_TRY(plan.library, lend_library(state));

  const char* argv[] = {"python3", "-", "zygote", request.modules.data(), nullptr};
  Text idle("ATOLL_ZYGOTE_IDLE=%u", request.idle_seconds);
  const char* path = "PATH=/usr/local/bin:/usr/bin:/bin:/opt/atoll/bin";
  const char* env[] = {path,           idle.c_str(),        "HOME=/tmp",
                       "LANG=C.UTF-8", "MPLCONFIGDIR=/tmp", "PYTHONUNBUFFERED=1",
                       nullptr};
  plan.argv = const_cast<char* const*>(argv);
  plan.env = const_cast<char* const*>(env);
  plan.given = {script.get(), -1, -1, socket.get(), word.get(), place.life.get(), turn.get()};
  UniqueFd pidfd;
  pid_t pid = clone_child(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET, pidfd);
  if (pid == 0) run_zygote_child(plan);
  return pid > 0 ? Outcome<UniqueFd>(std::move(pidfd)) : failed(Step::kZygote);
}

void end_rest(const LauncherState& state) {
  UniqueFd turn;
  (void)take_place(state, {}, turn);
}

}  // namespace atl::engine
