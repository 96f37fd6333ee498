// How a zygote becomes a process of a sandbox: functions for its interpreter, which loads this
// as a plain shared object (ctypes) and knows the structs by heart (src/drivers/python/_atoll/).
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::enter {

// All descriptors of the zygote's; control and everything in the sandbox's own numbering.
struct EnterPlan {
  std::int32_t stdio[3] = {-1, -1, -1};
  std::int32_t control = -1;  // becomes descriptor 3; -1: none
  std::int32_t report = -1;   // takes one confine::StartReport
  std::int32_t pidfd = -1;    // pid 1 of the sandbox
  std::int32_t args = -1;     // a file with the guest's ExecArgs; becomes descriptor 5
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t open_files = 0;
  std::uint32_t task_count = 0;
  std::uint64_t data_bytes = 0;
  const std::int32_t* task_fds = nullptr;
};

struct PageRange {
  std::uintptr_t start = 0;
  std::size_t size = 0;
};

}  // namespace atl::enter

// Returns twice: 0 in the new process, which is inside by then, confined, and has reported so; and
// 1 in the zygote, or a negative errno when there is no new process.
extern "C" [[gnu::visibility("default")]] int atoll_enter(const atl::enter::EnterPlan* plan);

// The same for a process that gives itself up: it goes on inside, with its memory as it is, and
// nothing is copied. Returns once: 0 inside, or a negative errno outside when it could not leave.
// Without a plan: 1 if this can be done here.
extern "C" [[gnu::visibility("default")]] int atoll_enter_whole(const atl::enter::EnterPlan* plan);

// Makes pages that a fork shares its own, as a write to each would. What is not there is left out.
extern "C" [[gnu::visibility("default")]] void atoll_copy_pages(const atl::enter::PageRange* ranges,
                                                                std::uint32_t count);
