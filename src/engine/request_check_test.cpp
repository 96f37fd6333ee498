#include "engine/request_check.hpp"

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

namespace atl::engine {
namespace {

CreateRequest good_request() {
  CreateRequest request;
  std::strcpy(request.header.id.text.data(), "box-1");
  std::strcpy(request.start.hostname.data(), "atoll");
  return request;
}

int check(CreateRequest& request, std::size_t size = sizeof(CreateRequest),
          std::size_t descriptors = 0) {
  RequestHeader header;
  return check_request(request, size, descriptors, header);
}

TEST(RequestCheck, AcceptsADefaultRequest) {
  CreateRequest request = good_request();
  EXPECT_EQ(check(request), 0);
}

TEST(RequestCheck, RefusesAnyOtherSize) {
  CreateRequest request = good_request();
  EXPECT_EQ(check(request, sizeof(CreateRequest) - 1), EBADMSG);
  EXPECT_EQ(check(request, sizeof(RequestHeader)), EBADMSG);
  EXPECT_EQ(check(request, 3), EBADMSG);
  EXPECT_EQ(check(request, 0), EBADMSG);
}

TEST(RequestCheck, RefusesForeignMagicVersionAndOperation) {
  CreateRequest request = good_request();
  request.header.magic ^= 1;
  EXPECT_EQ(check(request), EBADMSG);
  request = good_request();
  request.header.version = 99;
  EXPECT_EQ(check(request), EBADMSG);
  request = good_request();
  request.header.op = static_cast<LauncherOp>(77);
  EXPECT_EQ(check(request), EBADMSG);
}

TEST(RequestCheck, AWritableRootIsYesOrNo) {
  CreateRequest request = good_request();
  request.start.writable_root = 1;
  EXPECT_EQ(check(request), 0);
  request.start.writable_root = 2;
  EXPECT_EQ(check(request), EBADMSG);
}

TEST(RequestCheck, RefusesIdsThatAreNotPlainNames) {
  for (const char* id : {"", "../x", "a/b", "UPPER", "a.b", "a b"}) {
    CreateRequest request = good_request();
    request.header.id.text.fill('\0');
    std::strcpy(request.header.id.text.data(), id);
    EXPECT_EQ(check(request), EBADMSG) << id;
  }
  CreateRequest request = good_request();
  request.header.id.text.fill('a');  // no terminating NUL
  EXPECT_EQ(check(request), EBADMSG);
}

// Two ids that differ in what follows their text would have the same files.
TEST(RequestCheck, NothingFollowsTheTextOfAnId) {
  CreateRequest request = good_request();
  request.header.id.text.back() = 'x';
  EXPECT_EQ(check(request), EBADMSG);
  for (LauncherOp op :
       {LauncherOp::kDestroy, LauncherOp::kFreeze, LauncherOp::kThaw, LauncherOp::kUsage}) {
    request.header.op = op;
    EXPECT_EQ(check(request, sizeof(RequestHeader)), EBADMSG);
  }
}

TEST(RequestCheck, EveryLimitHasACeiling) {
  auto with = [](auto member, auto value) {
    CreateRequest request = good_request();
    request.limits.*member = value;
    return check(request);
  };
  EXPECT_EQ(with(&Limits::memory_bytes, kMaxMemory), 0);
  EXPECT_EQ(with(&Limits::memory_bytes, kMaxMemory + 1), EINVAL);
  EXPECT_EQ(with(&Limits::cpu_milli, kMaxCpuMilli), 0);
  EXPECT_EQ(with(&Limits::cpu_milli, kMaxCpuMilli + 1), EINVAL);
  EXPECT_EQ(with(&Limits::pids, kMaxPids), 0);
  EXPECT_EQ(with(&Limits::pids, kMaxPids + 1), EINVAL);
}

TEST(RequestCheck, AListNamesNoSandbox) {
  CreateRequest request;
  request.header.op = LauncherOp::kList;
  EXPECT_EQ(check(request, sizeof(RequestHeader)), 0);
  request.header.id.text.fill('/');
  EXPECT_EQ(check(request, sizeof(RequestHeader)), EBADMSG);
}

int check_zygote(ZygoteRequest request, std::size_t descriptors = 1) {
  CreateRequest whole;
  std::memcpy(static_cast<void*>(&whole), &request, sizeof request);
  return check(whole, sizeof request, descriptors);
}

// A client says which modules a zygote loads; what loads them is the launcher's.
TEST(RequestCheck, AZygoteIsAKeyAndAPipe) {
  ZygoteRequest request;
  std::strcpy(request.header.id.text.data(), "zygote");
  EXPECT_EQ(check_zygote(request), 0);
  EXPECT_EQ(check_zygote(request, 0), 0);  // it is only looked for
  EXPECT_EQ(check_zygote(request, 2), EBADMSG);
  std::strcpy(request.key.modules.data(), "--no-ipython numpy matplotlib.pyplot");
  EXPECT_EQ(check_zygote(request), 0);
  for (const char* modules : {"/tmp/x", "a\nb", "os;x", "x=1"}) {
    std::strcpy(request.key.modules.data(), modules);
    EXPECT_EQ(check_zygote(request), EBADMSG) << modules;
  }
  request.key.modules.fill('a');  // no terminating NUL
  EXPECT_EQ(check_zygote(request), EBADMSG);
  request.key.modules.fill('\0');
  for (std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 41}) {
    request.key.memory_bytes = memory;
    EXPECT_EQ(check_zygote(request), EBADMSG) << memory;
  }
}

TEST(RequestCheck, ASandboxNamesItsZygoteByKey) {
  CreateRequest request = good_request();
  std::strcpy(request.zygote.modules.data(), "/not/asked/for");
  EXPECT_EQ(check(request), 0);
  request.use_zygote = 1;
  EXPECT_EQ(check(request), EBADMSG);
  std::strcpy(request.zygote.modules.data(), "numpy");
  EXPECT_EQ(check(request), 0);
  request.layer_count = 1;  // an image has an interpreter of its own
  EXPECT_EQ(check(request, sizeof(CreateRequest), 1), EINVAL);
  request = good_request();
  request.use_zygote = 2;
  EXPECT_EQ(check(request), EBADMSG);
}

TEST(RequestCheck, OtherLimitsAreCheckedAsTheFirst) {
  static_assert(offsetof(LimitsRequest, limits) == offsetof(CreateRequest, limits));
  CreateRequest request = good_request();
  request.header.op = LauncherOp::kLimits;
  EXPECT_EQ(check(request, sizeof(LimitsRequest)), 0);
  EXPECT_EQ(check(request, sizeof(LimitsRequest), 1), EBADMSG);
  EXPECT_EQ(check(request, sizeof(CreateRequest)), EBADMSG);
  request.limits.pids = 0;
  EXPECT_EQ(check(request, sizeof(LimitsRequest)), EINVAL);
}

TEST(RequestCheck, RefusesMountTargetsThatTouchTheWalls) {
  for (const char* target : {"", "/", "data", "/a/../etc", "/a//b", "/./x", "/proc", "/proc/sys",
                             "/dev/null", "/mnt", "/opt/atoll/bin"}) {
    CreateRequest request = good_request();
    request.start.mount_count = 1;
    std::strcpy(request.start.mounts[0].data(), target);
    EXPECT_EQ(check(request, sizeof(CreateRequest), 1), EINVAL) << target;
  }
  CreateRequest request = good_request();
  request.start.mount_count = 1;
  std::strcpy(request.start.mounts[0].data(), "/processed/data");
  EXPECT_EQ(check(request, sizeof(CreateRequest), 1), 0);
}

TEST(RequestCheck, CountsMustMatchTheDescriptors) {
  CreateRequest request = good_request();
  EXPECT_EQ(check(request, sizeof(CreateRequest), 1), EBADMSG);
  request.start.mount_count = kMaxMounts + 1;
  EXPECT_EQ(check(request, sizeof(CreateRequest), kMaxMounts + 1), EBADMSG);
  request = good_request();
  request.start.rule_count = kMaxRules + 1;
  EXPECT_EQ(check(request), EINVAL);
}

TEST(RequestCheck, RefusesLimitsOutOfRange) {
  auto refused = [](auto change) {
    CreateRequest request = good_request();
    change(request.limits);
    return check(request) == EINVAL;
  };
  EXPECT_TRUE(refused([](Limits& limits) { limits.memory_bytes = 0; }));
  EXPECT_TRUE(refused([](Limits& limits) { limits.cpu_milli = 0; }));
  EXPECT_TRUE(refused([](Limits& limits) { limits.pids = 0; }));
  EXPECT_TRUE(refused([](Limits& limits) { limits.disk_bytes = 0; }));
  EXPECT_TRUE(refused([](Limits& limits) { limits.disk_bytes = kMaxDisk + 1; }));
  EXPECT_TRUE(refused([](Limits& limits) { limits.open_files = 1; }));
}

}  // namespace
}  // namespace atl::engine
