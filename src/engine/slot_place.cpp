#include <sys/file.h>

#include "engine/slot.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

constexpr char kUsed = 'u', kClean = '-';

}  // namespace

// A file that was removed meanwhile is nobody's: the name may stand for another one already.
UniqueFd lock_slot(const UniqueFd& shared, unsigned number) {
  for (struct stat info{};;) {
    UniqueFd file = open_at(shared.get(), Text("slots/%u", number).c_str(), O_RDWR | O_CREAT);
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (::fstat(file.get(), &info) == 0 && info.st_nlink != 0) return file;
  }
}

void mark_clean(const Slot& slot, bool clean) {
  if (slot.number < kPinned) (void)!::pwrite(slot.lock.get(), clean ? &kClean : &kUsed, 1, 0);
}

bool is_clean(const Slot& slot) {
  char state = 0;
  return ::pread(slot.lock.get(), &state, 1, 0) == 1 && state == kClean;
}

// sockstat is left out: some of its figures are the host's.
std::string traces() {
  std::uint64_t sum = kNoSum;
  for (const char* file : {"dev", "snmp", "snmp6", "netstat", "ip6_flowlabel"}) {
    sum = sum_up(sum, read_file(AT_FDCWD, Text("/proc/thread-self/net/%s", file).c_str()));
  }
  return std::string(bytes_of(sum));
}

}  // namespace atl::engine
