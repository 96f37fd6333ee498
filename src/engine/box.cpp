#include "engine/box.hpp"

#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdlib>

#include "base/send_fds.hpp"
#include "confine/walls.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

constexpr std::uint32_t bit(Wall wall) { return static_cast<std::uint32_t>(wall); }

// What is up around every box of this launcher, beside the limits that set_limits() reports. The
// guest is protected by its own uid or, where there is only one, by Landlock scopes, if the kernel
// has them (Linux 6.12, ABI 6); docs/adr/0007-uids-before-landlock.md.
std::uint32_t standing_walls(bool own_uids) {
  std::uint32_t walls = 0;
  for (std::uint32_t one = 1; one < confine::kAllWalls; one <<= 1) {
    if (wall_up(static_cast<Wall>(one))) walls |= one;
  }
  walls &= ~(bit(Wall::kMemoryLimit) | bit(Wall::kCpuLimit) | bit(Wall::kPidsLimit));
  if (own_uids) return walls & ~bit(Wall::kLandlock);
  constexpr unsigned kVersion = LANDLOCK_CREATE_RULESET_VERSION;
  bool scopes = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion) >= 6;
  return walls & ~bit(Wall::kOwnUids) & ~(scopes ? 0 : bit(Wall::kLandlock));
}

// The ids of a slot as a map: in the sandbox's own numbering, and as the host sees them.
Text slot_map(const Slot& slot) {
  Ids ids = slot.ids();
  return Text("%u %u 1\n%u %u 1\n", kGuestUid, ids.guest, kUserUid, ids.user);
}

// The guest is given no other kind of descriptor, whatever the caller sent.
bool is_unix_stream(const UniqueFd& socket) {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
         ::getsockopt(socket.get(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX &&
         type == SOCK_STREAM;
}

Outcome<void> open_socket(const LauncherState& state, const Box& box, BoxPlan& plan) {
  if (plan.request.connected == 0) {
    Text name("%s.sock", box.id.text.data());
    plan.socket = listen_at(state.run, name.c_str(), SOCK_STREAM, state.socket_owner());
  } else if (!is_unix_stream(plan.socket)) {
    return failed(Step::kSocket, ENOTSOCK);
  }
  if (!plan.socket) return failed(Step::kSocket);
  return {};
}

// All that the guest gets, in the order of guest/start.hpp.
Outcome<void> give_orders(const Box& box, const BoxOrder& order, BoxPlan& plan) {
  const Limits& limits = plan.request.limits;
  guest::GuestConfig config{.connected = static_cast<std::uint8_t>(plan.request.connected),
                            .user_uid = plan.user_uid,
                            .user_gid = plan.user_uid,
                            .open_files = limits.open_files,
                            .token = plan.request.token};
  std::vector<int> given = {plan.socket.get()};
  for (const UniqueFd& tasks : plan.cgroup.doors().user) {
    if (tasks) given.push_back(tasks.get());
  }
  config.task_fds = static_cast<std::uint8_t>(given.size() - 1);
  if (plan.zygote_link) given.push_back(plan.zygote_link.get());
  given.insert(given.end(), {plan.failure.get(), plan.go_ahead.get()});
  for (const UniqueFd& part : order.parts) given.push_back(part.get());
  config.zygote = plan.zygote_link ? 1 : 0;
  config.build = 1;
  // Without a memory cgroup the data segment is what can be limited (RLIMIT_AS would kill node).
  bool limited = (box.walls & bit(Wall::kMemoryLimit)) != 0;
  if (!limited && wall_up(Wall::kMemoryLimit)) config.data_bytes = limits.memory_bytes;
  const guest::BoxStart& start = plan.request.start;
  UniqueFd ours;
  bool given_all = make_link(ours, plan.orders) &&
                   send_fds(ours.get(), &config, sizeof config, given) > 0 &&
                   send_fds(ours.get(), &start, start.size(), {}) > 0;
  return given_all ? Outcome<void>() : failed(Step::kSocket);
}

std::uint64_t namespace_flags() {
  auto flag = [](Wall wall, std::uint64_t one) { return wall_up(wall) ? one : 0; };
  return CLONE_NEWNS | flag(Wall::kUserNs, CLONE_NEWUSER) | flag(Wall::kPidNs, CLONE_NEWPID) |
         flag(Wall::kIpcNs, CLONE_NEWIPC) | flag(Wall::kUtsNs, CLONE_NEWUTS);
}

Zygote* find_zygote(LauncherState& state, const CreateRequest& request) {
  bool wanted = request.use_zygote != 0 && !state.rootless;
  return wanted ? state.zygotes.find(request.zygote) : nullptr;
}

// What makes pid 1.
struct Birth {
  BoxPlan& plan;
  UniqueFd& pidfd;
  std::uint64_t flags = namespace_flags();
  pid_t pid = -1;
  int error = 0;
};

int give_birth(void* argument) {
  Birth& birth = *static_cast<Birth*>(argument);
  birth.pid = clone_child(birth.flags, birth.pidfd);
  if (birth.pid == 0) run_box_child(birth.plan);
  birth.error = errno;
  return 0;
}

// The number of a process as this one sees it.
pid_t pid_of(const UniqueFd& pidfd) {
  std::string text = read_file(AT_FDCWD, Text("/proc/self/fdinfo/%d", pidfd.get()).c_str());
  std::size_t at = text.find("Pid:");
  return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + 4);
}

// A zygote enters only what lies below its own pid namespace, and a pid namespace is made below
// that of its maker: so a helper that stands there makes pid 1, as the launcher's child. The helper
// shares the launcher's memory and descriptors and is gone at once.
void give_birth_below(const UniqueFd& keeper, const UniqueFd& host_pids, Birth& birth) {
  alignas(16) static char stack[64 * 1024];
  birth.flags |= CLONE_PARENT;
  birth.error = ::setns(keeper.get(), CLONE_NEWPID) == 0 ? 0 : errno;
  if (birth.error != 0) return;
  constexpr int kFlags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
  pid_t helper = ::clone(&give_birth, stack + sizeof stack, kFlags, &birth);
  if (helper < 0) birth.error = errno;
  if (helper > 0) ::waitpid(helper, nullptr, 0);
  if (::setns(host_pids.get(), CLONE_NEWPID) != 0) ::abort();
  if (birth.pid > 0) birth.pid = pid_of(birth.pidfd);
}

// Starts pid 1. Its user namespace belongs to its zygote, or to the slot's own uid: what the kernel
// counts per user is then counted per sandbox.
Outcome<void> start(const LauncherState& state, const Zygote* zygote, Box& box, BoxPlan& plan) {
  if (wall_up(Wall::kNetNs) && ::setns(box.slot.netns.get(), CLONE_NEWNET) != 0) {
    return failed(Step::kNetwork);
  }
  Birth birth{.plan = plan, .pidfd = box.pidfd};
  bool owned = !state.rootless && wall_up(Wall::kUserNs);
  ActingAs owner(!owned ? 0 : zygote != nullptr ? zygote->uid : box.slot.ids().guest);
  if (zygote != nullptr) {
    give_birth_below(zygote->keeper, state.host_pids, birth);
  } else {
    give_birth(&birth);
  }
  owner.end();
  box.pid = birth.pid;
  if (box.pid < 0) return failed(Step::kClone, birth.error);
  // A rootless launcher is "root" of its own user namespace, with one uid to give.
  Text map = state.rootless ? Text("%u 0 1\n", kUserUid) : slot_map(box.slot);
  if (wall_up(Wall::kUserNs) && !write_id_maps(box.pid, map, map, state.rootless)) {
    return failed(Step::kMaps);
  }
  (void)!::write(box.go_ahead.get(), "1", 1);
  // While pid 1 builds: it runs only once it is on record, or it would be nobody's if we died.
  if (!state.options.once && !write_record(state, box)) return failed(Step::kRunFolder);
  (void)!::write(box.go_ahead.get(), "2", 1);
  return {};
}

Outcome<void> build(LauncherState& state, BoxOrder& order, Zygote* zygote, Box& box,
                    BoxPlan& plan) {
  bool own_uids = !state.rootless && wall_up(Wall::kOwnUids);
  box.walls = standing_walls(own_uids);
  ATOLL_CHECK(box.slot.cgroup.set_limits(plan.request.limits, box.walls));
  bool mapped = wall_up(Wall::kUserNs);
  plan.user_uid = mapped ? kUserUid : box.slot.ids().user;
  guest::BoxStart& files = plan.request.start;
  files.guest_uid = !own_uids ? plan.user_uid : mapped ? kGuestUid : box.slot.ids().guest;
  const Limits& limits = plan.request.limits;
  if (state.rootless && limits.disk_bytes > limits.memory_bytes / 2) {
    return failed(Step::kLimits, EOPNOTSUPP);  // no loop devices, and a larger tmpfs is no limit
  }
  ATOLL_CHECK(use_parts(order));
  if (files.writable_root != 0) box.walls &= ~bit(Wall::kReadOnlyRoot);
  UniqueFd its_end;
  if (zygote != nullptr && !make_link(its_end, plan.zygote_link)) return failed(Step::kZygote);
  ATOLL_CHECK(open_socket(state, box, plan));
  // A zygote could empty the pipe between an event and our reading.
  if (!make_pipe(plan.go_ahead, box.go_ahead) || !make_pipe(box.building, plan.failure) ||
      ::fcntl(box.building.get(), F_SETFL, O_NONBLOCK) != 0) {
    return failed(Step::kClone);
  }
  plan.go_ahead_write = box.go_ahead.get();
  ATOLL_CHECK(give_orders(box, order, plan));
  box.has_zygote = zygote != nullptr && introduce(*zygote, its_end, plan);
  // Its use is noted: when another one needs a place, that which was not needed for longest goes.
  Text place("zygotes/%u", zygote != nullptr ? zygote->place : 0);
  if (box.has_zygote) ::utimensat(state.shared.get(), place.c_str(), nullptr, 0);
  return start(state, zygote, box, plan);
}

}  // namespace

bool LauncherState::step_back() const {
  // Rootless there is no way back into the host's network.
  return ::setns(host_template.get(), CLONE_NEWNS) == 0 &&
         (rootless || ::setns(host_network.get(), CLONE_NEWNET) == 0);
}

void LauncherState::take_back(Slot slot) {
  slots.give_back(std::move(slot));
  if (!step_back()) ::abort();
}

// /workspace lies on the file system of everything writable, and nobody inside can move it.
UniqueFd open_workspace(pid_t pid) {
  return open_at(AT_FDCWD, Text("/proc/%d/root/workspace", pid).c_str(), O_PATH | O_DIRECTORY);
}

SlotRange range_of(LauncherState& state, const CreateRequest& request) {
  Zygote* zygote = find_zygote(state, request);
  SlotRange range = zygote != nullptr ? zygote_slots(zygote->place, zygote->uid)
                    : state.options.once || state.rootless ? kAllPlainSlots
                                                           : SlotRange();
  range.memory_bytes = request.limits.memory_bytes;
  return range;
}

Outcome<Box> create_box(LauncherState& state, BoxOrder& order) {
  CreateRequest& request = order.request;
  Box box{.id = request.header.id, .slot = std::move(order.slot)};
  BoxPlan plan{.request = request,
               .rootless = state.rootless,
               .cgroup = box.slot.cgroup,
               .socket = std::move(order.connection),
               .guest_program = state.guest_program.get()};
  // Its slot is a zygote's if it has one; that one may have gone while its parts were made.
  uid_t owner = box.slot.net_owner;
  Zygote* zygote = owner != 0 ? find_zygote(state, request) : nullptr;
  if (zygote != nullptr && zygote->uid != owner) zygote = nullptr;
  bool named = state.options.once || write_record(state, box, O_CREAT | O_EXCL);
  Outcome<void> built = failed(Step::kRunFolder);
  if (named) built = build(state, order, zygote, box, plan);
  // Wherever building it led, the next one starts from the template and the host's network.
  if (!state.step_back() && built) ::abort();
  if (built) return box;
  if (box.pidfd) {
    send_kill(box.pidfd);
    box.building.reset();
    box.failure = built.error();
    return box;
  }
  state.take_back(std::move(box.slot));
  if (named && !state.options.once) forget_box(state, box.id);
  return std::unexpected(built.error());
}

}  // namespace atl::engine
