// Zygotes as the launcher sees them: interpreters that wait outside of all sandboxes to send a copy
// of themselves in. They are not trusted: what they load is somebody else's code. Each lives in a
// pid namespace of its own, whose pid 1 (the keeper, of the program atoll-zygote) outlives it while
// sandboxes do. A sandbox that is to be open to a zygote is made below that pid namespace, with the
// zygote's uid as the owner of its user namespace, in slots that no other zygote's sandboxes get.
// So a zygote has power over the sandboxes of its own key, and cannot name any other process.
#pragma once

#include <sys/types.h>

#include <list>

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

  // Zygotes of another driver are others.
  std::uint64_t stamp() const;
};

// Below the uids of slots.
inline constexpr uid_t kFirstZygoteUid = 0x5fff0000;
inline constexpr uid_t kUidsEach = 0x1000;
inline constexpr unsigned kMaxZygotes = 16;

// SHARED/zygotes/PLACE says who has the place, and carries a lock of the keeper's process alone
// (POSIX). Beside it PLACE.sock, where the zygote listens when it is ready.
struct ZygotePlace {
  ZygoteKey key;
  std::uint64_t driver = 0;
  uid_t uid = 0;
  std::uint32_t serves = 0;  // 0: its interpreter is no more, but sandboxes are

  bool is(const ZygoteKey& other, std::uint64_t stamp) const;
};

// A living one, connected.
struct Zygote {
  ZygoteKey key;
  unsigned place = 0;
  uid_t uid = 0;
  UniqueFd keeper, connection;
  bool distrusted = false;
};

class Zygotes {
 public:
  explicit Zygotes(const UniqueFd& shared) : shared_(shared) {}
  // Null when none of that key lives, is ready and trusted. Valid until the next call.
  Zygote* find(const ZygoteParts& parts, const ZygoteKey& key);
  // A sandbox of the zygote with this uid was not built in time: it gets no other one.
  void distrust(uid_t uid);

 private:
  bool look_at(unsigned place, std::uint64_t driver, const ZygoteKey& key, Zygote& found);

  const UniqueFd& shared_;
  std::list<Zygote> known_;
};

// Gives it its end of the link to the guest; what it needs to enter, the guest passes with each
// request.
bool introduce(Zygote& zygote, const UniqueFd& its_end, const BoxPlan& plan);

// Starts one; `report` is a pipe where its driver says what it has loaded. Comes back with the
// process that sees to it; its exit status is a ZygoteStart.
Outcome<Helper> start_zygote(const LauncherState& state, const ZygoteKey& key,
                             const UniqueFd& report);
enum ZygoteStart : int { kZygoteStarted = 0, kZygoteLives = 3, kNoZygotePlace = 4 };
// Descriptors that atoll-zygote gets with its order, a ZygoteKey.
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
