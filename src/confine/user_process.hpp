// What a process does to itself before it runs code of the user: limits, uid, capabilities, filter.
// By raw system calls: it runs between fork and exec of the guest's children, and in a forked
// zygote (src/enter), which never execs.
#pragma once

#include <cstdint>

namespace atl::confine {

// Where starting a process of the user failed.
enum class UserStep : std::uint32_t {
  kNone,
  kCgroup,
  kTerminal,
  kStdio,
  kLimits,
  kUser,
  kCapabilities,
  kNoNewPrivs,
  kLandlock,
  kDirectory,
  kExec,
  kSeccomp,
  kStopped,  // it neither ran nor failed in time
};

struct StepError {
  UserStep step = UserStep::kNone;
  int error = 0;
};

// What a new process says of its start, once, through a pipe.
struct StartReport {
  UserStep step = UserStep::kNone;
  std::int32_t error = 0;
  std::int32_t pid = 0;  // as the sandbox numbers it; only from a zygote, which cannot tell else
};

struct UserPlan {
  bool switch_user = false;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t kept_caps = 0;   // bit by bit; only where the uid is not changed
  std::uint64_t open_files = 0;  // 0: as it is
  std::uint64_t data_bytes = 0;  // 0: no limit
  bool execution = false;        // it starts one, and marks it (execution_mark.hpp)
};

StepError become_user(const UserPlan& plan) noexcept;

}  // namespace atl::confine
