#include "engine/zygote_start.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/send_fds.hpp"
#include "engine/cgroup_make.hpp"
#include "engine/mount_calls.hpp"

namespace atl::engine {
namespace {

struct Place {
  unsigned number = kMaxZygotes;
  UniqueFd file;
  ZygotePlace tenant;
  pid_t keeper = 0;  // 0: the place is free
};

std::uint64_t stamp_of(int driver) {
  struct stat info{};
  if (::fstat(driver, &info) != 0) return 0;
  auto changed =
      static_cast<std::uint64_t>(info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
  return info.st_ino ^ changed;
}

bool is_same(const ZygotePlace& one, const ZygotePlace& other) {
  return one.serves != 0 && one.driver == other.driver && bytes_of(one.key) == bytes_of(other.key);
}

// Who has locked a place; 0: nobody.
pid_t holder(const UniqueFd& file) {
  struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool asked = ::fcntl(file.get(), F_GETLK, &lock) == 0;
  return asked && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

// The place where the wanted one lives, or else a free one. That is one that no keeper holds: its
// pid namespace is gone then, and with it every descriptor and every process that its zygote had.
Place find_place(const UniqueFd& shared, const ZygotePlace& wanted) {
  Place found;
  for (unsigned number = 0; number < kMaxZygotes; ++number) {
    UniqueFd file = open_at(shared.get(), Text("zygotes/%u", number).c_str(), O_RDWR | O_CREAT);
    if (!file) continue;
    // Before the tenant is read, and again when it is handed over: in between the keeper was the
    // same, so the tenant is its own.
    pid_t keeper = holder(file);
    ZygotePlace tenant;
    bool had = ::pread(file.get(), &tenant, sizeof tenant, 0) == sizeof tenant;
    if (keeper != 0) {
      if (had && is_same(tenant, wanted)) return {number, std::move(file), tenant, keeper};
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
  return found;
}

UniqueFd connect_to(const UniqueFd& shared, unsigned place) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  Text path("/proc/self/fd/%d/zygotes/%u.sock", shared.get(), place);
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  return socket;
}

// One that loads its modules still is not handed over.
std::vector<UniqueFd> hand_over(const UniqueFd& shared, const Place& place) {
  std::vector<UniqueFd> parts;
  parts.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, place.keeper, 0)));
  parts.push_back(connect_to(shared, place.number));
  // The pidfd is taken first: if the lock is still his, it is the right process.
  bool whole = parts[0] && parts[1] && holder(place.file) == place.keeper;
  return whole ? std::move(parts) : std::vector<UniqueFd>();
}

bool has_sandboxes(const Cgroups& host, unsigned place) {
  unsigned first = kFirstZygoteSlot + place * kSlotsPerZygote;
  for (unsigned i = 0; i < kSlotsPerZygote; ++i) {
    if (!SlotCgroup(host, Leaf::kSlot, first + i).empty()) return true;
  }
  return false;
}

bool is_earlier(const timespec& one, const timespec& other) {
  return one.tv_sec != other.tv_sec ? one.tv_sec < other.tv_sec : one.tv_nsec < other.tv_nsec;
}

// When all places are taken: ends the interpreter that no sandbox has needed for the longest time.
// Its keeper leaves the place, unless a sandbox has come meanwhile, which lives on without it.
// False: sandboxes live at every place.
bool end_oldest(const UniqueFd& shared, const Cgroups& host) {
  unsigned oldest = kMaxZygotes;
  timespec since{};
  for (unsigned place = 0; place < kMaxZygotes; ++place) {
    struct stat info{};
    Text name("zygotes/%u", place);
    if (::fstatat(shared.get(), name.c_str(), &info, 0) != 0) continue;
    bool newer = oldest != kMaxZygotes && !is_earlier(info.st_mtim, since);
    if (newer || has_sandboxes(host, place)) continue;
    oldest = place;
    since = info.st_mtim;
  }
  if (oldest != kMaxZygotes) end_processes(host, Leaf::kZygote, oldest);
  return oldest != kMaxZygotes;
}

UniqueFd lend_library() {
  UniqueFd tree = clone_mount(kZygoteLibrary, "");
  constexpr std::uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (!tree || !change_mount(tree.get(), "", {.attr_set = kFlags})) return {};
  return tree;
}

Outcome<KeeperPlan> make_plan(const UniqueFd& shared, const Cgroups& host, Place& place) {
  Text name("zygotes/%u.sock", place.number);
  KeeperPlan plan{.key = place.tenant.key, .uid = place.tenant.uid};
  plan.library = lend_library();
  if (::setns(kZygoteTemplate, CLONE_NEWNS) != 0) return failed(Step::kZygote);
  if (!make_leaves(host, Leaf::kZygote, place.number)) return failed(Step::kCgroup);
  plan.leaf = SlotCgroup(host, Leaf::kZygote, place.number);
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

// Where no place was free it waits for one; keepers look five times a second.
Place wait_for_place(const UniqueFd& shared, const Cgroups& host, const ZygotePlace& wanted) {
  constexpr int kLooks = 100, kPause = 50'000;  // µs
  Place place;
  int looks = end_oldest(shared, host) ? kLooks : 0;
  for (int look = 0; look < looks && place.number == kMaxZygotes; ++look) {
    ::usleep(kPause);
    place = find_place(shared, wanted);
  }
  return place;
}

// 0, or an errno.
int start(const UniqueFd& shared, UniqueFd turn, const ZygotePlace& wanted, Place& place) {
  // Cgroups and the library lie in the host's mount namespace; the zygote's root is the template.
  if (::setns(kZygoteHostMounts, CLONE_NEWNS) != 0) return errno;
  static const Cgroups kHost = Cgroups::detect();
  if (place.number == kMaxZygotes) place = wait_for_place(shared, kHost, wanted);
  if (place.number == kMaxZygotes) return EAGAIN;
  Outcome<KeeperPlan> plan = make_plan(shared, kHost, place);
  UniqueFd started, pidfd;
  if (!plan || !make_pipe(started, plan->started)) return EIO;
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
  return done ? 0 : EIO;
}

}  // namespace

int start_zygote_process() {
  ::umask(0);
  ZygoteOrder order;
  std::vector<UniqueFd> given;  // the kernel gives them the lowest free numbers, in order
  if (receive_fds(kHelperSocket, bytes_at(order), given) != sizeof order || given.empty() ||
      given.front().get() != kZygoteReport || given.back().get() != kZygoteFdEnd - 1) {
    return 1;
  }
  for (UniqueFd& fd : given) (void)fd.release();  // known by their numbers from here on
  ZygotePlace wanted{.key = order.key, .driver = stamp_of(kZygoteDriver), .serves = 1};
  UniqueFd shared(kZygoteShared), turn;
  make_folder(shared.get(), "zygotes", 0700);
  ::alarm(60);                 // the launcher waits no longer, whoever holds the lock
  if (order.find_only == 0) {  // one at a time
    turn = open_at(shared.get(), "zygotes/lock", O_RDONLY | O_CREAT);
    if (!turn || ::flock(turn.get(), LOCK_EX) != 0) return 1;
  }
  Place place = find_place(shared, wanted);
  ZygoteAnswer answer;
  std::vector<UniqueFd> parts;
  if (place.keeper != 0) parts = hand_over(shared, place);
  if (order.find_only != 0) {
    answer.failure = parts.empty() ? Failure{Step::kZygote, ENOENT} : Failure{};
  } else if (place.keeper != 0) {
    answer.failure = {};
  } else if (int error = start(shared, std::move(turn), wanted, place)) {
    answer.failure.errno_value = error;
  } else {
    answer.failure = {};
    answer.started = 1;
  }
  answer.place = place.number;
  answer.uid = place.tenant.uid;
  std::vector<int> fds;
  for (const UniqueFd& part : parts) fds.push_back(part.get());
  return send_fds(kHelperSocket, &answer, sizeof answer, fds) > 0 ? 0 : 1;
}

}  // namespace atl::engine
