// Zygotes as the launcher sees them: interpreters that wait outside of all sandboxes to send a copy
// of themselves in. They are not trusted: what they load is somebody else's code. Each lives in a
// pid namespace of its own, whose pid 1 (the keeper, of the program atoll-zygote) outlives it while
// sandboxes do. A sandbox that is to be open to a zygote is made below that pid namespace, with the
// zygote's uid as the owner of its user namespace, in slots that no other zygote's sandboxes get.
// So a zygote has power over the sandboxes of its own key, and cannot name any other process.
#pragma once

#include <sys/types.h>

#include <list>
#include <set>

#include "base/unique_fd.hpp"
#include "engine/helper.hpp"

namespace atl::engine {

struct BoxPlan;
struct LauncherState;

// What a zygote is started from: files beside the launcher, which no client chooses.
struct ZygoteParts {
  UniqueFd program;  // atoll-zygote
  UniqueFd driver;   // what its interpreter reads
  UniqueFd library;  // what it enters sandboxes with
};

// A living one, connected.
struct Zygote {
  ZygoteKey key;
  unsigned place = 0;
  uid_t uid = 0;
  UniqueFd keeper, connection;
};

// What the launcher orders from atoll-zygote, and its answer. With a zygote that is ready come a
// pidfd of its keeper and a connection to it.
struct ZygoteOrder {
  ZygoteKey key;
  std::uint32_t find_only = 0;  // 1: none is started
};
struct ZygoteAnswer {
  guest::StartFailure failure{Step::kZygote, EIO};
  std::uint32_t started = 0, place = 0;
  uid_t uid = 0;
};

// Those that atoll-zygote has found for this launcher.
class Zygotes {
 public:
  // Null when none of that key is known, lives and is trusted. Valid until the next call.
  Zygote* find(const ZygoteKey& key);
  void add(Zygote found);
  // A sandbox of the zygote with this uid was not built in time: it gets no other one.
  void distrust(uid_t uid) { distrusted_.insert(uid); }

 private:
  std::list<Zygote> known_;
  std::set<uid_t> distrusted_;  // no other zygote gets their uids
};

// Gives it its end of the link to the guest; what it needs to enter, the guest passes with each
// request.
bool introduce(Zygote& zygote, const UniqueFd& its_end, const BoxPlan& plan);

// Finds one, or starts it; `report` is a pipe where its driver says what it has loaded, without
// which none is started. Comes back with the process that sees to it.
Outcome<Helper> order_zygote(const LauncherState& state, const ZygoteKey& key,
                             const UniqueFd& report);
// When that has ended. True: it was started now, and is found when it has loaded everything.
Outcome<bool> receive_zygote(LauncherState& state, const Helper& helper, const ZygoteKey& key);
// Descriptors that atoll-zygote gets with its order.
enum ZygoteFd : int {
  kZygoteReport = kHelperSocket + 1,
  kZygoteShared,
  kZygoteHostMounts,
  kZygoteTemplate,
  kZygoteLibrary,
  kZygoteDriver,
  kZygoteFdEnd
};

}  // namespace atl::engine
