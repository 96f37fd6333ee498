#include "cli/run/privileges.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/doctor/probe.hpp"

namespace atl::cli {
namespace {

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "atollx:x:5:5::/:/bin/false\n"
    "atoll:x:998:997::/var/lib/atoll:/usr/sbin/nologin\n";

TEST(Privileges, FindsTheUser) {
  Identity identity = find_identity(kPasswd, "atoll");
  EXPECT_EQ(identity.uid, 998u);
  EXPECT_EQ(identity.gid, 997u);
}

TEST(Privileges, NeverStaysRoot) {
  for (std::string_view passwd : {"", "nobody:x:1:1::/:/", "atoll:x:0:0::/:/",
                                  "atoll:x::::", "atoll:x:abc:1::/:/", "atoll"}) {
    EXPECT_EQ(find_identity(passwd, "atoll").uid, kFallbackUid) << passwd;
    EXPECT_EQ(find_identity(passwd, "atoll").gid, kFallbackUid) << passwd;
  }
}

TEST(Privileges, DropsAndStaysDropped) {
  int error = errno_in_child(0, [] {
    bool was_root = ::geteuid() == 0;
    Identity identity = was_root ? Identity{kFallbackUid, kFallbackUid} : service_identity();
    if (!drop_privileges(identity)) return 1;
    if (was_root && ::setuid(0) == 0) return 2;
    if (was_root && ::setgid(0) == 0) return 3;
    if (::geteuid() == 0) return 4;
    return 0;
  });
  EXPECT_EQ(error, 0);
}

}  // namespace
}  // namespace atl::cli
