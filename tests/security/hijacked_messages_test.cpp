// What a hijacked `atoll` can say to the launcher: nothing that brings it down or a wall with it.
#include "hijacked_client.hpp"

namespace atl::engine {
namespace {

TEST_F(HijackedClient, BadTargetsAreRefused) {
  UniqueFd folder = opened_unprivileged("/usr", O_RDONLY | O_DIRECTORY);
  for (const char* target : {"", "/", "data", "/..", "/../etc", "/data/..", "/data/../../etc",
                             "/./data", "//data", "/proc", "/proc/self", "/proc/sys/kernel", "/dev",
                             "/dev/null", "/mnt", "/mnt/x", "/opt/atoll", "/opt/atoll/hidden"}) {
    SCOPED_TRACE(target);
    CreateRequest request = create_request("target");
    add_mount(request, target, false);
    int fd = folder.get();
    ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
    auto answer = reply();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    if (answer->status == LauncherStatus::kOk) destroy("target");
  }
  // Not terminated at all.
  CreateRequest request = create_request("target");
  request.start.mount_count = 1;
  request.start.mounts[0].fill('a');
  request.start.mounts[0][0] = '/';
  int fd = folder.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  auto answer = reply();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  expect_launcher_well();
}

// Rules are paths inside; none may take a wall down.
TEST_F(HijackedClient, RulesTakeNoWallDown) {
  for (const char* path :
       {"/proc", "/proc/sys", "/proc/keys", "/dev", "/dev/null", "/etc", "/", "/usr",
        "/opt/atoll/hidden", "/opt/atoll", "/mnt", "/proc/../etc", "relative", ""}) {
    for (auto action : {PathAction::kHide, PathAction::kReadOnly, PathAction::kWritable,
                        static_cast<PathAction>(0), static_cast<PathAction>(77)}) {
      SCOPED_TRACE(std::string(path) + " action " + std::to_string(static_cast<unsigned>(action)));
      CreateRequest request = create_request("rule");
      PathRule& rule = request.start.rules[request.start.rule_count++];
      rule.action = action;
      std::snprintf(rule.path.data(), rule.path.size(), "%s", path);
      ASSERT_TRUE(send(&request, sizeof request));
      auto answer = reply();
      ASSERT_TRUE(answer);
      if (answer->status != LauncherStatus::kOk) continue;
      // Built: then the kernel's files are still masked and read-only where they are visible at
      // all.
      Ran ran = run_inside("rule", {"/bin/sh", "-c",
                                    "test -s /proc/keys && echo UNMASKED; test -w "
                                    "/proc/sys/kernel/core_pattern && echo WRITABLE; "
                                    "true"});
      EXPECT_EQ(ran.output.find("UNMASKED"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("WRITABLE"), std::string::npos) << ran.output;
      destroy("rule");
    }
  }
  expect_launcher_well();
}

TEST_F(HijackedClient, BadIdsAreRefused) {
  for (const char* id :
       {"", "a/b", "../x", "/etc/cron.d/x", ".", "..", "A", "a b", "a.sock", "slots", "a\n", "é"}) {
    SCOPED_TRACE(id);
    CreateRequest request = create_request(id);
    ASSERT_TRUE(send(&request, sizeof request));
    auto answer = reply();
    ASSERT_TRUE(answer);
    bool names_only = std::string_view(id) == "slots";  // a good id, even if a folder has that name
    if (!names_only) EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    if (answer->status == LauncherStatus::kOk) destroy(id);
    for (auto op :
         {LauncherOp::kDestroy, LauncherOp::kFreeze, LauncherOp::kThaw, LauncherOp::kUsage}) {
      RequestHeader header{.op = op, .id = request.header.id};
      ASSERT_TRUE(send(&header, sizeof header));
      answer = reply();
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    }
  }
  // Without a terminating NUL.
  CreateRequest request = create_request("x");
  request.header.id.text.fill('a');
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  expect_launcher_well();
}

TEST_F(HijackedClient, MalformedMessagesAreRefused) {
  CreateRequest good = create_request("malformed");
  // Those of /dev/null, which this test sends: slots have descriptors as well, and come and go.
  auto null_descriptors = [this] {
    std::size_t count = 0;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(launcher_) + "/fd")) {
      count += fs::read_symlink(entry.path(), gone) == "/dev/null" ? 1 : 0;
    }
    return count;
  };
  expect_launcher_well();
  std::size_t kept_before = null_descriptors();
  auto refused = [&](const void* bytes, std::size_t size, std::span<const int> fds = {}) {
    ASSERT_TRUE(send(bytes, size, fds));
    auto answer = reply();
    ASSERT_TRUE(answer) << "no answer";
    EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    if (answer->status == LauncherStatus::kOk && answer->op == LauncherOp::kCreate)
      destroy("malformed");
  };
  for (std::size_t size : {std::size_t{1}, std::size_t{4}, sizeof(RequestHeader) - 1,
                           sizeof(RequestHeader), sizeof good - 1}) {
    SCOPED_TRACE("short: " + std::to_string(size));
    refused(&good, size);
  }
  for (std::size_t more : {1u, 4096u, 65536u}) {
    SCOPED_TRACE("long by " + std::to_string(more));
    std::vector<char> bytes(sizeof good + more, 0);
    std::memcpy(bytes.data(), &good, sizeof good);
    refused(bytes.data(), bytes.size());
  }
  CreateRequest bad = good;
  bad.header.magic = 0;
  refused(&bad, sizeof bad);
  bad = good;
  bad.header.version = kLauncherVersion - 1;
  refused(&bad, sizeof bad);
  for (int op : {0, 7, 8, 255, 65535}) {
    SCOPED_TRACE("op " + std::to_string(op));
    bad = good;
    bad.header.op = static_cast<LauncherOp>(op);
    refused(&bad, sizeof bad);
    refused(&bad, sizeof(RequestHeader));
  }
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::vector<int> many(20, null);
  for (std::uint32_t count : {1u, 16u, 17u, 0x10000u, 0xffffffffu}) {
    SCOPED_TRACE("mounts: " + std::to_string(count));
    bad = good;
    bad.start.mount_count = count;
    refused(&bad, sizeof bad);
    if (count != 1) refused(&bad, sizeof bad, std::span(many.data(), 1));
  }
  refused(&good, sizeof good, std::span(many.data(), 3));   // descriptors nobody announced
  refused(&good, sizeof good, std::span(many.data(), 20));  // more than there is room for
  for (std::uint32_t count : {65u, 0xffffffffu}) {
    bad = good;
    bad.start.rule_count = count;
    refused(&bad, sizeof bad);
  }
  bad = good;
  bad.limits = {.memory_bytes = 0,
                .disk_bytes = 0,
                .inodes = UINT64_MAX,
                .cpu_milli = 0,
                .pids = 0,
                .open_files = 0};
  refused(&bad, sizeof bad);
  for (std::string_view host : {std::string_view(""), std::string_view("a/b"),
                                std::string_view("a b"), std::string_view("\x01")}) {
    bad = good;
    bad.start.hostname.fill(0);
    std::copy(host.begin(), host.end(), bad.start.hostname.begin());
    refused(&bad, sizeof bad);
  }
  bad = good;
  bad.start.hostname.fill('a');
  refused(&bad, sizeof bad);
  // A frozen launcher would be as good as a dead one: none of the descriptors may stay with it.
  EXPECT_EQ(null_descriptors(), kept_before) << "descriptors pile up in the launcher";
  ::close(null);
  expect_launcher_well();
}

// Ten thousand messages of noise: pure, and good requests with bytes changed. Seed printed.
TEST_F(HijackedClient, NoiseDoesNotBringItDown) {
  std::random_device device;
  unsigned seed = device();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  UniqueFd usr(::open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<char> bytes;
  int built = 0;
  auto drain = [&] {
    while (auto answer = reply(0))
      built += answer->op == LauncherOp::kCreate && answer->status == LauncherStatus::kOk;
  };
  for (int i = 0; i < 10000; ++i) {
    CreateRequest request = create_request("noise");
    unsigned kind = random() % 8;
    if (kind < 3) {
      bytes.resize(1 + random() % (sizeof request + 64));
      for (char& byte : bytes) byte = static_cast<char>(random());
      if (kind == 1 && bytes.size() >= sizeof(RequestHeader))
        std::memcpy(bytes.data(), &request.header, 8);
    } else {
      bytes.resize(sizeof request);
      std::memcpy(bytes.data(), &request, sizeof request);
      unsigned changes = 1 + random() % 64;
      for (unsigned c = 0; c < changes; ++c)
        bytes[random() % (c % 2 == 0 ? 256 : bytes.size())] = static_cast<char>(random());
      // Most would be refused for their magic or id alone: keep those whole now and then.
      if (kind > 4) std::memcpy(bytes.data(), &request.header, sizeof request.header);
    }
    std::vector<int> fds(random() % 6);
    for (int& fd : fds) fd = random() % 2 == 0 ? usr.get() : null.get();
    ASSERT_TRUE(send(bytes.data(), bytes.size(), fds))
        << "after " << i << " messages: " << std::strerror(errno);
    if (i % 16 == 0) drain();
    if (i % 500 == 0)
      ASSERT_EQ(::waitpid(launcher_, nullptr, WNOHANG), 0) << "the launcher ended after " << i;
  }
  // Whatever was built by chance is destroyed again.
  for (int round = 0; round < 200; ++round) {
    std::this_thread::sleep_for(5ms);
    drain();
    RequestHeader header{.op = LauncherOp::kList};
    ASSERT_TRUE(send(&header, sizeof header));
    std::vector<BoxId> living;
    for (auto answer = reply(); answer; answer = reply()) {
      if (answer->op != LauncherOp::kList) continue;
      living = list_;
      break;
    }
    if (living.empty()) break;
    for (const BoxId& id : living) {
      RequestHeader end{.op = LauncherOp::kDestroy, .id = id};
      ASSERT_TRUE(send(&end, sizeof end));
      ASSERT_TRUE(reply());
    }
  }
  expect_launcher_well();
}

}  // namespace
}  // namespace atl::engine
