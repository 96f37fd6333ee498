// One native sandbox as the launcher sees it: a slot, pid 1 and its names in the run folder.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_fd.hpp"
#include "engine/failure.hpp"
#include "engine/helper.hpp"
#include "engine/launcher_protocol.hpp"
#include "engine/mounts_order.hpp"
#include "engine/slot.hpp"
#include "engine/zygote.hpp"

namespace atl::engine {

// Everything pid 1 needs, laid out before the clone: it allocates nothing. The launcher's copies of
// the descriptors are closed once pid 1 runs.
struct BoxPlan {
  CreateRequest& request;
  bool rootless = false;
  unsigned user_uid = 0;  // in the sandbox's own numbering; the guest's when there is only one
  const SlotCgroup& cgroup;
  UniqueFd socket;          // for the guest; it listens, or is the one connection
  UniqueFd zygote_link;     // the guest's end; none: no zygote
  UniqueFd go_ahead;        // two bytes of the launcher's: ids are mapped, the box is on record
  int go_ahead_write = -1;  // the launcher's alone: it must end with the launcher
  UniqueFd failure;         // a Failure goes here; closed when the box is built
  UniqueFd orders;          // a socket: what the guest is told, and its descriptors
  int guest_program = -1;
};

// pid 1 of the sandbox, between clone and exec of the guest. Never returns.
[[noreturn]] void run_box_child(BoxPlan& plan) noexcept;

struct Box {
  BoxId id;
  Slot slot;
  UniqueFd pidfd;
  UniqueFd workspace;  // a descriptor of it, for figures: no path of the sandbox is walked later
  pid_t pid = 0;
  // While pid 1 builds: a Failure comes here, or its end when pid 1 has become the guest; and a
  // pipe that ends with the launcher.
  UniqueFd building, go_ahead;
  std::int64_t deadline = 0;       // for that, by the launcher's clock
  std::optional<Failure> failure;  // it was not made, and is killed
  bool dying = false, has_zygote = false;
  std::uint32_t walls = 0;
};

struct LauncherOptions {
  std::string run_folder;
  std::string programs;     // the folder where all that it starts lies
  std::string stamp;        // of what the host template is made from; empty: none is kept
  std::string disk_folder;  // on a real disk; empty: no sandbox may have more than fits in memory
  UniqueFd control;         // a connected SOCK_SEQPACKET socket: its one client
  UniqueFd cgroup;          // rootless: a group that was delegated to the user
  uid_t client_uid = 0;     // owner of the sockets: whom `atoll` runs as
  uid_t mount_owner = 0, mount_group = 0;  // as in a MountsOrder
  bool once = false;  // one sandbox, gone with the client; otherwise sandboxes outlive both
};

// What the launcher is, for all of its sandboxes.
struct LauncherState {
  LauncherOptions options;
  UniqueFd run;           // this launcher's folder: sockets and records
  UniqueFd shared;        // slots, kept namespaces: one folder for all launchers of this host
  UniqueFd host_network;  // where the launcher's own sockets belong
  UniqueFd host_pids;
  UniqueFd host_mounts;    // mount namespaces to stand in while opening sources …
  UniqueFd host_template;  // … and while cloning
  UniqueFd disks;          // where disk images live, unnamed
  UniqueFd guest_program;
  UniqueFd mounts_program;
  UniqueFd net_program;  // none: no sandbox gets a network
  Helper slot_maker;     // atoll-mounts at work on slots, one at a time …
  uid_t made_owner = 0;  // … that are made with this net_owner
  ZygoteParts zygote_parts;
  Cgroups cgroups;
  bool rootless = false;
  Slots slots{shared, cgroups, rootless};
  Zygotes zygotes;

  const uid_t* socket_owner() const { return rootless ? nullptr : &options.client_uid; }
  // Back to where requests are served: the template, and the host's network and pids.
  bool step_back() const;
  // The slot of a sandbox that is gone, or was never made.
  void take_back(Slot slot);
};

// A request to create, with what came with it.
struct BoxOrder {
  CreateRequest request;
  std::vector<UniqueFd> sources;  // mounts, then layers
  UniqueFd connection;
  Slot slot;
  unsigned tries = 0;           // at a slot
  std::vector<UniqueFd> parts;  // as atoll-mounts has made them
};

// What the launcher has to say about the file system of a sandbox.
void complete(const LauncherState& state, CreateRequest& request);
// Whether mounts, a disk or a root must be made for it first (box_mounts.cpp): it has a slot then.
bool needs_parts(const CreateRequest& request);
Outcome<Helper> order_parts(const LauncherState& state, const BoxOrder& order);
Outcome<std::vector<UniqueFd>> receive_parts(const Helper& helper, MountsMade& made,
                                             bool wait = false);
// Puts the caller into the sandbox's root; what is left is for the guest.
Outcome<void> use_parts(BoxOrder& order);

// Finds the host template, or has it made; the caller stands in the host's mount namespace. It is
// entered later, so that it can be made meanwhile.
Outcome<Helper> find_template(LauncherState& state);
Outcome<void> enter_template(LauncherState& state, const Helper& maker);
// Where the slot of a sandbox lies. Its zygote may come and go.
SlotRange range_of(LauncherState& state, const CreateRequest& request);
// Has `slot_maker` make slots of a range and see to those that are left for it. The second comes
// when it has ended.
Outcome<void> order_slots(LauncherState& state, const SlotRange& range, std::size_t wanted);
Outcome<void> receive_slots(LauncherState& state);
// Starts the sandbox of an order that has its slot and its parts; pid 1 builds the rest by itself.
// Nothing is waited for: a zygote can stop pid 1 of its sandboxes, and keep it from ending. On
// failure nothing is left behind, but for a box with a `failure` whose pid 1 must still end.
Outcome<Box> create_box(LauncherState& state, BoxOrder& order);
// A descriptor of the sandbox's /workspace.
UniqueFd open_workspace(pid_t pid);
// RUN/boxes/ID: what a restarted launcher must know of a living sandbox. Only launchers write
// there. A sandbox without one must not run: nobody would find it again. It is made, without a
// process, before everything else that has the sandbox's name: where a launcher is killed in
// between, the next one finds the record and removes them all.
bool write_record(const LauncherState& state, const Box& box, int flags = 0);
// Removes what the box had in the run folder; its slot is free again when the Box is destroyed.
void forget_box(const LauncherState& state, const BoxId& id);
// The boxes of an earlier launcher that still live, by their records.
std::vector<Box> find_boxes(LauncherState& state);

}  // namespace atl::engine
