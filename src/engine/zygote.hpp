// Zygotes as the launcher sees them: interpreters that wait outside of all sandboxes to send a copy
// of themselves in. One belongs to the host, not to a launcher, like a slot: when it is ready it
// listens at SHARED/zygotes/NAME.sock, whose owner is the uid that it runs as, and leaves when
// idle. A sandbox that shall be open to it is made with that uid as the owner of its user
// namespace, which is all the power a zygote has.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "engine/cgroup.hpp"
#include "engine/failure.hpp"

namespace atl::engine {

struct BoxPlan;
struct LauncherState;

// A living zygote, about to be introduced to a sandbox.
struct ZygoteLink {
  UniqueFd zygote;     // a connection to it
  UniqueFd its_end;    // of the pair over which guest …
  UniqueFd guest_end;  // … and zygote will talk
  uid_t owner = 0;

  explicit operator bool() const { return static_cast<bool>(zygote); }
};

// Acts as the zygote's uid until end(): a namespace belongs to whoever makes it.
class OwnedBy {
 public:
  explicit OwnedBy(const ZygoteLink& link);
  ~OwnedBy() { end(); }
  OwnedBy(const OwnedBy&) = delete;
  void end();

 private:
  bool changed_ = false;
};

// Empty when no zygote of that name lives.
ZygoteLink find_zygote(const UniqueFd& shared, const BoxId& name);
// Gives it what it needs to enter; from here on guest and zygote talk to each other.
bool introduce(const ZygoteLink& link, const UniqueFd& pidfd, const BoxPlan& plan);
// Starts one; no descriptor: it lives already. `script` is what its interpreter reads, `word` a
// pipe where it says when it is ready.
Outcome<UniqueFd> start_zygote(const LauncherState& state, const ZygoteRequest& request,
                               const UniqueFd& script, const UniqueFd& word);
// Whatever the modules of zygotes have started that are no more ends, too.
void end_rest(const LauncherState& state);

struct ZygotePlan {
  ControllerFds tasks;
  UniqueFd library;          // detached, ready to be attached
  std::array<int, 7> given;  // what becomes its descriptors; the child adds /dev/null
  uid_t uid = 0;
  char* const* argv = nullptr;
  char* const* env = nullptr;
};

// Between clone and exec of the interpreter. Never returns.
[[noreturn]] void run_zygote_child(ZygotePlan& plan) noexcept;

}  // namespace atl::engine
