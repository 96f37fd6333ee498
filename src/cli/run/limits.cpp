#include "cli/run/limits.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/unique_fd.hpp"
#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMinMemory = 4ull << 20;
constexpr std::uint64_t kMinDisk = 64ull << 10;
constexpr std::uint64_t kMaxInodes = 1ull << 28;
constexpr std::uint64_t kMaxKeptOutput = 1ull << 30;
constexpr std::chrono::milliseconds kMaxTimeout = std::chrono::days(30);

std::uint64_t number_in_file(const char* path, std::uint64_t fallback) {
  UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 32> buffer{};
  ssize_t got = fd ? ::read(fd.get(), buffer.data(), buffer.size()) : -1;
  if (got <= 0) return fallback;
  std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  Result<std::uint64_t> number = parse_count(text.substr(0, text.find('\n')));
  return number ? *number : fallback;
}

using Show = std::string (*)(std::uint64_t);

std::string show_count(std::uint64_t value) { return std::to_string(value); }

struct Range {
  const char* option;
  std::uint64_t low;
  std::uint64_t high;
  Show show;
};

Result<void> check(const Range& range, std::uint64_t value) {
  if (value >= range.low && value <= range.high) return {};
  std::string message(range.option);
  message += ' ' + range.show(value) + " is outside of the allowed range " + range.show(range.low) +
             " to " + range.show(range.high);
  return fail(Code::kInvalidArgument, std::move(message));
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  struct sysinfo info{};
  if (::sysinfo(&info) == 0) facts.memory_bytes = std::uint64_t{info.totalram} * info.mem_unit;
  long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  facts.cpus = cpus > 0 ? static_cast<std::uint64_t>(cpus) : 1;
  facts.pid_max = number_in_file("/proc/sys/kernel/pid_max", facts.pid_max);
  facts.open_files_max = number_in_file("/proc/sys/fs/nr_open", facts.open_files_max);
  struct statvfs root{};
  if (::statvfs("/", &root) == 0) facts.disk_bytes = std::uint64_t{root.f_blocks} * root.f_frsize;
  facts.disk_bytes = std::max(facts.disk_bytes, facts.memory_bytes);
  return facts;
}

Result<CheckedLimits> check_limits(const RunOptions& options, HostFacts (*read_facts)()) {
  CheckedLimits result;
  sandbox::Limits& limits = result.limits;
  bool any = options.memory || options.cpu_milli || options.pids || options.disk ||
             options.inodes || options.open_files;
  if (!any) return result;

  HostFacts host = read_facts();
  if (options.memory) {
    ATOLL_CHECK(check({"--memory", kMinMemory, host.memory_bytes, format_size}, *options.memory));
    limits.memory_bytes = *options.memory;
    limits.disk_bytes = std::min(limits.disk_bytes, limits.memory_bytes / 2);
  }
  if (options.cpu_milli) {
    ATOLL_CHECK(check({"--cpus", 10, host.cpus * 1000, format_milli}, *options.cpu_milli));
    limits.cpus = static_cast<double>(*options.cpu_milli) / 1000;
  }
  if (options.pids) {
    ATOLL_CHECK(check({"--pids", 2, host.pid_max, show_count}, *options.pids));
    limits.pids = static_cast<std::uint32_t>(*options.pids);
  }
  if (options.disk) {
    ATOLL_CHECK(check({"--disk", kMinDisk, host.disk_bytes, format_size}, *options.disk));
    limits.disk_bytes = *options.disk;
  }
  if (options.inodes) {
    ATOLL_CHECK(check({"--inodes", 16, kMaxInodes, show_count}, *options.inodes));
    limits.inodes = *options.inodes;
  }
  if (options.open_files) {
    ATOLL_CHECK(check({"--open-files", 16, host.open_files_max, show_count}, *options.open_files));
    limits.open_files = static_cast<std::uint32_t>(*options.open_files);
  }
  result.asked = {.memory = options.memory.has_value(),
                  .cpus = options.cpu_milli.has_value(),
                  .pids = options.pids.has_value(),
                  .disk = options.disk.has_value() || options.inodes.has_value()};
  return result;
}

Result<std::chrono::milliseconds> check_timeout(const RunOptions& options, bool code) {
  using namespace std::chrono_literals;
  if (!options.timeout) return options.terminal ? 0ms : code ? 30s : 60s;
  if (*options.timeout > kMaxTimeout) {
    return fail(Code::kInvalidArgument,
                "--timeout is outside of the allowed range 1ms to 30d (0: none)");
  }
  return *options.timeout;
}

Result<std::uint64_t> check_max_output(const RunOptions& options) {
  bool json = options.output == OutputFormat::kJson;
  if (!options.max_output) return json ? 10ull << 20 : UINT64_MAX;
  ATOLL_CHECK(check({"--max-output", 1, kMaxKeptOutput, format_size}, *options.max_output));
  return *options.max_output;
}

}  // namespace atl::cli
