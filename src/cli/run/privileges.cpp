#include "cli/run/privileges.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

#include "cli/core/files.hpp"
#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxPasswd = 16ull << 20;

using CapabilityData = std::array<__user_cap_data_struct, 2>;

Result<void> clear_capabilities() {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
    return fail_errno("clearing ambient capabilities");
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  CapabilityData none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) return fail_errno("capset");
  return {};
}

// Only root may; nobody else gains anything from the bounding set under no_new_privs.
Result<void> clear_bounding_set() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    int present = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (present < 0) break;  // past the last one this kernel knows
    if (present == 1 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      return fail_errno("dropping the bounding set");
    }
  }
  return {};
}

Result<void> become(const Identity& identity) {
  gid_t group = identity.group.value_or(0);
  if (::setgroups(identity.group ? 1 : 0, &group) != 0) return fail_errno("setgroups");
  if (::setresgid(identity.gid, identity.gid, identity.gid) != 0) return fail_errno("setresgid");
  if (::setresuid(identity.uid, identity.uid, identity.uid) != 0) return fail_errno("setresuid");
  return {};
}

Result<void> verify(const Identity& identity, bool was_root) {
  uid_t uids[3];
  gid_t gids[3];
  bool same = ::getresuid(&uids[0], &uids[1], &uids[2]) == 0 &&
              ::getresgid(&gids[0], &gids[1], &gids[2]) == 0;
  for (int i = 0; same && i < 3; ++i) same = uids[i] == identity.uid && gids[i] == identity.gid;
  if (was_root && ::getgroups(0, nullptr) != (identity.group ? 1 : 0)) same = false;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  CapabilityData data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) same = false;
  for (const auto& half : data) {
    same = same && half.effective == 0 && half.permitted == 0 && half.inheritable == 0;
  }
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) same = false;
  if (was_root && ::prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) != 0) same = false;
  if (!same) return fail(Code::kInternal, "privileges were dropped, but are still there");
  return {};
}

}  // namespace

Identity find_identity(std::string_view passwd, std::string_view name) {
  while (!passwd.empty()) {
    std::string_view line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(passwd.size(), line.size() + 1));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    std::array<std::string_view, 4> fields;  // name, password, uid, gid
    for (std::string_view& field : fields) {
      field = line.substr(0, line.find(':'));
      line.remove_prefix(std::min(line.size(), field.size() + 1));
    }
    Result<std::uint64_t> uid = parse_count(fields[2]);
    Result<std::uint64_t> gid = parse_count(fields[3]);
    bool usable = uid && gid && *uid > 0 && *gid > 0 && *uid < 0xffffffff && *gid < 0xffffffff;
    if (usable) return {static_cast<uid_t>(*uid), static_cast<gid_t>(*gid)};
  }
  return {kFallbackUid, kFallbackUid};
}

Identity service_identity() {
  if (::geteuid() != 0) return {::getuid(), ::getgid()};
  Result<std::string> passwd = read_file("/etc/passwd", kMaxPasswd, "/etc/passwd");
  return find_identity(passwd ? std::string_view(*passwd) : std::string_view(), "atoll");
}

Result<void> drop_privileges(const Identity& identity) {
  bool was_root = ::geteuid() == 0;
  if (was_root) {
    ATOLL_CHECK(clear_bounding_set());
    ATOLL_CHECK(become(identity));
  }
  ATOLL_CHECK(clear_capabilities());
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("no_new_privs");
  return verify(identity, was_root);
}

}  // namespace atl::cli
