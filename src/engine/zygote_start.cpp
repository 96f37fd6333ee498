#include "engine/zygote_start.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "engine/cgroup_make.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

struct Place {
  unsigned number = kMaxZygotes;
  UniqueFd file;
  ZygotePlace tenant;
};

// A place is free when no keeper holds it: then its pid namespace is gone, and with it every
// descriptor and every process that its zygote had. False: `key` lives already.
bool take_place(const UniqueFd& shared, const ZygotePlace& wanted, Place& found) {
  for (unsigned number = 0; number < kMaxZygotes; ++number) {
    UniqueFd file = open_at(shared.get(), Text("zygotes/%u", number).c_str(), O_RDWR | O_CREAT);
    ZygotePlace tenant;
    bool had = ::pread(file.get(), &tenant, sizeof tenant, 0) == sizeof tenant;
    struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (::fcntl(file.get(), F_GETLK, &lock) != 0) continue;
    if (lock.l_type != F_UNLCK) {
      if (had && tenant.is(wanted.key, wanted.driver)) return false;
      continue;
    }
    if (found.number != kMaxZygotes) {
      if (!had) break;  // nor has anybody had those that follow
      continue;
    }
    // Another uid each time: nothing that an earlier tenant left behind belongs to this one.
    uid_t next = had ? (tenant.uid + 1) % kUidsEach : 0;
    found = {number, std::move(file), wanted};
    found.tenant.uid = kFirstZygoteUid + number * kUidsEach + next;
  }
  return true;
}

UniqueFd lend_library() {
  UniqueFd tree = clone_mount(kZygoteLibrary, "");
  constexpr std::uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (!tree || !change_mount(tree.get(), "", {.attr_set = kFlags})) return {};
  return tree;
}

Outcome<KeeperPlan> make_plan(const UniqueFd& shared, Place& place) {
  Text name("zygotes/%u.sock", place.number);
  KeeperPlan plan{.key = place.tenant.key, .uid = place.tenant.uid};
  // Cgroups and the library lie in the host's mount namespace; the zygote's root is the template.
  if (::setns(kZygoteHostMounts, CLONE_NEWNS) != 0) return failed(Step::kZygote);
  static const Cgroups kHost = Cgroups::detect();
  plan.library = lend_library();
  if (::setns(kZygoteTemplate, CLONE_NEWNS) != 0) return failed(Step::kZygote);
  if (!make_leaves(kHost, Leaf::kZygote, place.number)) return failed(Step::kCgroup);
  plan.leaf = SlotCgroup(kHost, Leaf::kZygote, place.number);
  ATOLL_CHECK(plan.leaf.open_doors(plan.uid));
  // It has one thread that works. A share of less than a sandbox's would slow down all of them.
  constexpr unsigned kOneCore = 1000, kProcesses = 64;
  std::uint32_t walls = 0;
  ATOLL_CHECK(plan.leaf.set_limits(
      {.memory_bytes = plan.key.memory_bytes, .cpu_milli = kOneCore, .pids = kProcesses}, walls));
  ::unlinkat(shared.get(), name.c_str(), 0);  // of one that died
  plan.socket = listen_at(shared, name.c_str(), SOCK_SEQPACKET, &plan.uid, false);
  // Its own position in the file.
  plan.driver.reset(::open(Text("/proc/self/fd/%d", kZygoteDriver).c_str(), O_RDONLY | O_CLOEXEC));
  plan.report.reset(kZygoteReport);
  // A pipe and nothing else: a socket would be a way for descriptors out of the zygote, a folder
  // one to files that it cannot reach.
  struct stat info{};
  bool mute = ::fstat(kZygoteReport, &info) == 0 && S_ISFIFO(info.st_mode);
  if (!plan.socket || !plan.library || !plan.driver || !mute) return failed(Step::kZygote);
  plan.life = std::move(place.file);
  bool named = ::ftruncate(plan.life.get(), 0) == 0 &&
               ::pwrite(plan.life.get(), &place.tenant, sizeof place.tenant, 0) > 0;
  if (!named) return failed(Step::kZygote);
  return plan;
}

}  // namespace

int start_zygote_process() {
  ::umask(0);
  ZygotePlace wanted{.serves = 1};
  std::vector<UniqueFd> given;  // the kernel gives them the lowest free numbers, in order
  constexpr ssize_t kSize = sizeof wanted.key;
  if (receive_fds(kHelperSocket, bytes_at(wanted.key), given) != kSize || given.empty() ||
      given.front().get() != kZygoteReport || given.back().get() != kZygoteFdEnd - 1) {
    return 1;
  }
  for (UniqueFd& fd : given) (void)fd.release();  // known by their numbers from here on
  ZygoteParts parts;
  parts.driver.reset(kZygoteDriver);
  wanted.driver = parts.stamp();
  UniqueFd shared(kZygoteShared);
  make_folder(shared.get(), "zygotes", 0700);
  UniqueFd turn = open_at(shared.get(), "zygotes/lock", O_RDONLY | O_CREAT);
  if (!turn || ::flock(turn.get(), LOCK_EX) != 0) return 1;
  Place place;
  if (!take_place(shared, wanted, place)) return kZygoteLives;
  if (place.number == kMaxZygotes) return kNoZygotePlace;
  Outcome<KeeperPlan> plan = make_plan(shared, place);
  UniqueFd started, pidfd;
  if (!plan || !make_pipe(started, plan->started)) return 1;
  plan->turn = std::move(turn);
  constexpr std::uint64_t kApart =
      CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET;
  pid_t pid = clone_child(kApart, pidfd);
  if (pid == 0) run_keeper_child(*plan);
  plan->started.reset();
  plan->turn.reset();
  constexpr int kPatience = 30'000;  // ms
  pollfd end{started.get(), POLLIN, 0};
  char byte = 0;
  bool done = pid > 0 && ::poll(&end, 1, kPatience) == 1 && ::read(started.get(), &byte, 1) == 1;
  if (!done && pidfd) end_child(pidfd);
  return done ? kZygoteStarted : 1;
}

}  // namespace atl::engine
