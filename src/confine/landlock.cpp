#include "confine/landlock.hpp"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace atl::confine {
namespace {

// Debian 12's headers stop at ABI 2; these are the kernel's numbers
// (include/uapi/linux/landlock.h).
struct RulesetAttr {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};
constexpr std::uint64_t kScopeAbstractUnixSocket = 1u << 0;
constexpr std::uint64_t kScopeSignal = 1u << 1;

}  // namespace

int enter_landlock_scopes() noexcept {
  RulesetAttr attr{.scoped = kScopeAbstractUnixSocket | kScopeSignal};
  long fd = ::syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0u);
  if (fd < 0) {
    // E2BIG: a kernel that knows Landlock but not the field. EINVAL: or not these scopes.
    return errno == E2BIG || errno == EINVAL ? EOPNOTSUPP : errno;
  }
  int error = ::syscall(SYS_landlock_restrict_self, static_cast<int>(fd), 0u) == 0 ? 0 : errno;
  ::close(static_cast<int>(fd));
  return error;
}

}  // namespace atl::confine
