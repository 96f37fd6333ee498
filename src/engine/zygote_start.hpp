// What the program atoll-zygote does: finds a place for a zygote, starts the keeper of its pid
// namespace and, below that, the interpreter; or finds one that lives, and hands a connection to it
// to the launcher. That starts this program as root; the keeper goes on by itself.
#pragma once

#include "engine/cgroup.hpp"
#include "engine/zygote.hpp"

namespace atl::engine {

// Below the uids of slots.
inline constexpr uid_t kFirstZygoteUid = 0x5fff0000;
inline constexpr uid_t kUidsEach = 0x1000;

// SHARED/zygotes/PLACE says who has the place, and carries a lock of the keeper's process alone
// (POSIX). Its time is that of the last sandbox that was made for the zygote. Beside it PLACE.sock,
// where the zygote listens when it is ready.
struct ZygotePlace {
  ZygoteKey key;
  std::uint64_t driver = 0;  // a stamp: zygotes of another driver are others
  uid_t uid = 0;
  std::uint32_t serves = 0;  // 0: its interpreter is no more, but sandboxes are
};

int start_zygote_process();

// Everything the keeper and the interpreter need, laid out before the clone.
struct KeeperPlan {
  ZygoteKey key;
  SlotCgroup leaf;   // the interpreter's; the keeper stays outside of it
  UniqueFd life;     // the place's file, for the keeper's lock
  UniqueFd turn;     // lock of whoever starts zygotes, until the keeper has its own
  UniqueFd socket;   // where launchers bring sandboxes
  UniqueFd library;  // detached, ready to be attached
  UniqueFd driver;   // what the interpreter reads as its standard input
  UniqueFd report;
  UniqueFd started;  // a byte goes here when the keeper holds the place
  uid_t uid = 0;
};

// Pid 1 of the zygote's pid namespace. Never returns.
[[noreturn]] void run_keeper_child(KeeperPlan& plan) noexcept;

}  // namespace atl::engine
