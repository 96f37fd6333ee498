// What the program atoll-zygote does: finds a place for a zygote, starts the keeper of its pid
// namespace and, below that, the interpreter. The launcher starts this program as root and waits
// for its exit status, a ZygoteStart; the keeper goes on by itself.
#pragma once

#include "engine/cgroup.hpp"
#include "engine/zygote.hpp"

namespace atl::engine {

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
