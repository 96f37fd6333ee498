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
constexpr uid_t kZygoteUids = 0x10000;
constexpr unsigned kMaxZygotes = 16;
constexpr std::size_t kMaxWords = 32;
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

// The first number whose leaf is empty: there its zygote would be. Leaves lie behind the slots'.
Outcome<void> take_leaf(const Cgroups& cgroups, SlotCgroup& leaf) {
  if (!cgroups.available()) return failed(Step::kZygote, EOPNOTSUPP);  // nothing would bound it
  for (unsigned number = 0; number < kMaxZygotes; ++number) {
    ATOLL_TRY(leaf, cgroups.open_slot(kMaxSlots + number));
    if (leaf.empty()) return {};
  }
  return failed(Step::kZygote, EAGAIN);
}

// Another one each time: the sandboxes of a zygote that died belong to its uid, and live on.
Outcome<uid_t> take_uid(const UniqueFd& shared) {
  std::string kept = read_file(shared.get(), "zygotes/next");
  uid_t next = 0;
  if (kept.size() == sizeof next) std::memcpy(&next, kept.data(), sizeof next);
  uid_t following = (next + 1) % kZygoteUids;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  bool kept_now = write_file(shared.get(), "zygotes/next", bytes_of(following), kFlags);
  return kept_now ? Outcome<uid_t>(kFirstZygoteUid + next) : failed(Step::kZygote);
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
  const UniqueFd& shared = state.shared;
  if (state.rootless) return failed(Step::kZygote, EOPNOTSUPP);
  if (!make_folder(shared.get(), "zygotes", 0700)) return failed(Step::kZygote);
  // The new process holds it too, until it is in its leaf.
  UniqueFd turn = open_at(shared.get(), "zygotes/lock", O_RDONLY | O_CREAT);
  if (!turn || ::flock(turn.get(), LOCK_EX) != 0) return failed(Step::kZygote);
  // It has this lock from its first to its last moment, loading or ready.
  Text life_name("zygotes/%s.lock", request.header.id.text.data());
  UniqueFd life = open_at(shared.get(), life_name.c_str(), O_RDONLY | O_CREAT);
  if (!life) return failed(Step::kZygote);
  if (::flock(life.get(), LOCK_EX | LOCK_NB) != 0) return UniqueFd();

  SlotCgroup leaf;
  ATOLL_CHECK(take_leaf(state.cgroups, leaf));
  ATOLL_TRY(uid_t uid, take_uid(shared));
  ZygotePlan plan{.uid = uid};
  Text name = socket_name(request.header.id);
  ::unlinkat(shared.get(), name.c_str(), 0);  // of one that died
  UniqueFd socket = listen_at(shared, name.c_str(), SOCK_SEQPACKET, &plan.uid, false);
  if (!socket) return failed(Step::kZygote);

  std::uint32_t walls = 0;
  constexpr unsigned kAllCores = 1'000'000, kProcesses = 64;
  ATOLL_CHECK(leaf.set_limits(
      {.memory_bytes = request.memory_bytes, .cpu_milli = kAllCores, .pids = kProcesses}, walls));
  ControllerFds unused;
  ATOLL_CHECK(state.cgroups.open_tasks(leaf, plan.tasks, unused));
  ATOLL_TRY(plan.library, lend_library(state));

  std::array<char, sizeof request.modules> modules = request.modules;
  std::array<char*, kMaxWords> argv{const_cast<char*>("python3"), const_cast<char*>("-"),
                                    const_cast<char*>("zygote")};
  std::size_t words = 3;
  if (request.scripts_only != 0) argv[words++] = const_cast<char*>("--no-ipython");
  for (char* at = ::strtok(modules.data(), " "); at != nullptr && words + 1 < kMaxWords;
       at = ::strtok(nullptr, " ")) {
    argv[words++] = at;
  }
  Text idle("ATOLL_ZYGOTE_IDLE=%u", request.idle_seconds);
  // One thread of its own: a fork takes only the thread that forks along.
  const char* env[] = {idle.c_str(),
                       "PATH=/usr/local/bin:/usr/bin:/bin:/opt/atoll/bin",
                       "HOME=/tmp",
                       "LANG=C.UTF-8",
                       "MPLCONFIGDIR=/tmp",
                       "OPENBLAS_NUM_THREADS=1",
                       "OMP_NUM_THREADS=1",
                       "PYTHONUNBUFFERED=1",
                       nullptr};
  plan.argv = argv.data();
  plan.env = const_cast<char* const*>(env);
  plan.script = script.get();
  plan.socket = socket.get();
  plan.word = word.get();
  plan.life = life.get();
  UniqueFd pidfd;
  pid_t pid = clone_child(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET, pidfd);
  if (pid == 0) run_zygote_child(plan);
  if (pid < 0) return failed(Step::kZygote);
  return pidfd;
}

}  // namespace atl::engine
