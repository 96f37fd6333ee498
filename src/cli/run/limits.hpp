// Checks the limits a user asked for against what can be meant and what the host has.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "cli/run/run_options.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

// What the host has. Read only when a limit was asked for: it costs several system calls.
struct HostFacts {
  std::uint64_t memory_bytes = 0;
  std::uint64_t cpus = 1;
  std::uint64_t pid_max = 32768;
  std::uint64_t open_files_max = 1048576;
  std::uint64_t disk_bytes = 0;  // the larger of memory and the root file system
};
HostFacts read_host_facts();

struct CheckedLimits {
  sandbox::Limits limits;
  sandbox::AskedLimits asked;
};

// kInvalidArgument names the option and the allowed range.
Result<CheckedLimits> check_limits(const RunOptions& options,
                                   HostFacts (*facts)() = read_host_facts);

// `code`: the shorter default of code that runs once.
Result<std::chrono::milliseconds> check_timeout(const RunOptions& options, bool code);
Result<std::uint64_t> check_max_output(const RunOptions& options);

}  // namespace atl::cli
