// What a hijacked `atoll` can get with descriptors and paths: nothing that it could not get by
// itself.
#include "hijacked_client.hpp"

namespace atl::engine {
namespace {

TEST_F(HijackedClient, AnOrdinarySandboxWorks) {
  CreateRequest request = create_request("plain");
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk)
      << static_cast<int>(answer->step) << " " << std::strerror(answer->errno_value);
  Ran ran = run_inside("plain", {"/bin/sh", "-c", "id -u; cat /proc/net/dev | wc -l"});
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output.rfind("1000\n", 0), 0u) << ran.output;
  destroy("plain");
}

// The first ends, and its folder with it, while the next one begins there.
TEST_F(HijackedClient, TheNextLauncherKeepsItsFolder) {
  for (int round = 0; round < 60; ++round) {
    pid_t before = launcher_;
    UniqueFd client = std::move(client_);
    start();
    std::this_thread::sleep_for(std::chrono::microseconds(round * 40));  // to meet it anywhere
    client.reset();
    CreateRequest request = create_request("next");
    ASSERT_TRUE(send(&request, sizeof request));
    auto answer = reply();
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->status, LauncherStatus::kOk)
        << round << ": " << static_cast<int>(answer->step) << " "
        << std::strerror(answer->errno_value);
    destroy("next");
    ASSERT_EQ(::waitpid(before, nullptr, 0), before);
  }
}

// O_PATH proves no right to read what it names.
TEST_F(HijackedClient, PathOnlyDescriptorOfShadowIsRefused) {
  UniqueFd shadow = opened_unprivileged("/etc/shadow", O_PATH);
  ASSERT_TRUE(shadow);
  for (bool read_only : {true, false}) {
    CreateRequest request = create_request("opath");
    add_mount(request, "/data", read_only);
    int fd = shadow.get();
    ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
    auto answer = reply();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  }
  UniqueFd root = opened_unprivileged("/root", O_PATH | O_DIRECTORY);
  ASSERT_TRUE(root);
  CreateRequest request = create_request("opath");
  add_mount(request, "/data");
  int fd = root.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  auto answer = reply();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  expect_launcher_well();
}

// Folders that anybody may open hold files that not everybody may read, and folders below them.
TEST_F(HijackedClient, FoldersOfTheHostGiveNoSecrets) {
  struct Try {
    const char* folder;
    const char* secret;
  };
  ASSERT_TRUE(fs::exists("/etc/shadow"));
  std::ofstream(folder_ + "/secret") << "the secret of root\n";
  fs::permissions(folder_ + "/secret", fs::perms::owner_read);
  fs::create_directory(folder_ + "/closed");
  std::ofstream(folder_ + "/closed/file") << "the secret of root\n";
  fs::permissions(folder_ + "/closed", fs::perms::owner_all);
  const Try tries[] = {{"/etc", "/data/shadow"},
                       {"/", "/data/etc/shadow"},
                       {folder_.c_str(), "/data/secret"},
                       {folder_.c_str(), "/data/closed/file"},
                       {"/proc", "/data/1/environ"},
                       {"/sys", "/data/kernel/notes"},
                       {"/dev", "/data/vda"},
                       {"/sys/fs/cgroup", "/data/pids/cgroup.procs"}};
  for (const Try& attempt : tries) {
    for (bool read_only : {true, false}) {
      SCOPED_TRACE(std::string(attempt.folder) + (read_only ? " ro" : " rw"));
      UniqueFd folder = opened_unprivileged(attempt.folder, O_RDONLY | O_DIRECTORY);
      ASSERT_TRUE(folder);
      CreateRequest request = create_request("folder");
      add_mount(request, "/data", read_only);
      int fd = folder.get();
      ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
      auto answer = reply();
      ASSERT_TRUE(answer);
      if (answer->status != LauncherStatus::kOk) continue;  // refused: fine
      std::string script = std::string("head -c 64 ") + attempt.secret +
                           " && echo LEAKED; echo x > " + attempt.secret +
                           " && echo WRITTEN; touch /data/new-file && echo CREATED; true";
      Ran ran = run_inside("folder", {"/bin/sh", "-c", script});
      EXPECT_EQ(ran.output.find("LEAKED"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("WRITTEN"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("CREATED"), std::string::npos) << ran.output;
      destroy("folder");
    }
  }
  EXPECT_FALSE(fs::exists("/etc/new-file") || fs::exists("/new-file") ||
               fs::exists(folder_ + "/new-file"));
  expect_launcher_well();
}

// The control: a launcher that was told to lend root's files, which only one for a single sandbox
// may be, does so. The test above could see a leak.
TEST_F(HijackedClient, ControlRootAsMountOwnerWouldLeak) {
  client_.reset();
  ::waitpid(launcher_, nullptr, 0);
  release_run_folder();
  start({"--mount-owner", "0", "--mount-group", "0", "--once"});
  std::ofstream(folder_ + "/secret") << "the secret of root\n";
  fs::permissions(folder_ + "/secret", fs::perms::owner_read);
  UniqueFd folder = opened_unprivileged(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(folder);
  CreateRequest request = create_request("control");
  add_mount(request, "/data");
  int fd = folder.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk);
  Ran ran = run_inside("control", {"/bin/cat", "/data/secret"});
  EXPECT_EQ(ran.output, "the secret of root\n");
  destroy("control");
}

// A launcher has no name where others could find it; a sandbox's socket is for the client only.
TEST_F(HijackedClient, NobodyElseReachesASandbox) {
  CreateRequest request = create_request("launcher");
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(run_)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"boxes", "launcher.sock"}));
  std::string path = run_ + "/launcher.sock";
  struct stat info{};
  ASSERT_EQ(::lstat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(info.st_uid, kHijacked);
  auto connects = [&](uid_t uid) {
    pid_t pid = ::fork();
    if (pid == 0) {
      if (::setresgid(uid, uid, uid) != 0 || ::setresuid(uid, uid, uid) != 0) ::_exit(200);
      int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
      sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
      path.copy(address.sun_path, sizeof address.sun_path - 1);
      ::_exit(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 1 : 0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(connects(kHijacked), 1);
  EXPECT_EQ(connects(kHijacked + 1), 0) << "a stranger reached the sandbox";
  destroy("launcher");
  expect_launcher_well();
}

// A set-user-id program and a device in the client's own folder stay without effect.
TEST_F(HijackedClient, OwnFolderBringsNoPower) {
  std::string own = folder_ + "/own";
  fs::create_directory(own);
  fs::copy_file(ATOLL_CASES_DIR "/08_capabilities", own + "/tool");
  ASSERT_EQ(::chmod((own + "/tool").c_str(), 04755), 0);  // root's, with the bit
  ASSERT_EQ(::mknod((own + "/disk").c_str(), S_IFBLK | 0666, makedev(254, 0)), 0);
  ASSERT_EQ(::chown(own.c_str(), kHijacked, kHijacked), 0);
  UniqueFd folder = opened_unprivileged(own.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(folder);
  CreateRequest request = create_request("own");
  add_mount(request, "/data", false);
  int fd = folder.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk)
      << static_cast<int>(answer->step) << " " << std::strerror(answer->errno_value);
  Ran ran = run_inside("own", {"/data/tool", "sets"});
  EXPECT_EQ(ran.code, 10) << ran.output;
  ran = run_inside(
      "own",
      {"/bin/sh", "-c",
       "dd if=/data/disk of=/dev/null bs=1 count=1 && echo LEAKED; echo hi > /data/mine; id -u"});
  EXPECT_EQ(ran.output.find("LEAKED"), std::string::npos) << ran.output;
  // What it wrote belongs to the client, not to root.
  struct stat info{};
  ASSERT_EQ(::stat((own + "/mine").c_str(), &info), 0) << ran.output;
  EXPECT_EQ(info.st_uid, kHijacked);
  destroy("own");
}

// A link in a mounted folder must not lead a second mount, a rule or a made folder out of the
// sandbox.
TEST_F(HijackedClient, LinksInMountsDoNotLeadOut) {
  std::string own = folder_ + "/links";
  fs::create_directory(own);
  fs::create_directory_symlink("/proc/1/root", own + "/p1");
  fs::create_directory_symlink("/proc/self/fd", own + "/fd");
  fs::create_directory_symlink("../../../../../../..", own + "/up");
  fs::create_directory_symlink("/dev", own + "/dev");
  ASSERT_EQ(::chown(own.c_str(), kHijacked, kHijacked), 0);
  std::string canary = "hijack-canary-" + std::to_string(::getpid());
  for (const char* link : {"p1", "fd/3", "fd/8", "up", "dev"}) {
    SCOPED_TRACE(link);
    UniqueFd folder = opened_unprivileged(own.c_str(), O_RDONLY | O_DIRECTORY);
    CreateRequest request = create_request("links");
    add_mount(request, "/data", false);
    add_mount(request, ("/data/" + std::string(link) + "/" + canary).c_str(), false);
    PathRule& rule = request.start.rules[request.start.rule_count++];
    rule.action = PathAction::kReadOnly;
    std::snprintf(rule.path.data(), rule.path.size(), "/data/%s/%s-2", link, canary.c_str());
    int fds[] = {folder.get(), folder.get()};
    ASSERT_TRUE(send(&request, sizeof request, fds));
    auto answer = reply();
    ASSERT_TRUE(answer);
    if (answer->status == LauncherStatus::kOk) destroy("links");
    for (const char* place : {"/", "/dev/", "/run/", "/tmp/", "/etc/"}) {
      EXPECT_FALSE(fs::exists(std::string(place) + canary)) << place;
      EXPECT_FALSE(fs::exists(std::string(place) + canary + "-2")) << place;
    }
  }
  expect_launcher_well();
}

// Every kind of descriptor that is no folder.
TEST_F(HijackedClient, StrangeDescriptorsAreNoMounts) {
  std::vector<UniqueFd> strange;
  int pair[2];
  ASSERT_EQ(::pipe2(pair, O_CLOEXEC), 0);
  strange.emplace_back(pair[0]);
  strange.emplace_back(pair[1]);
  strange.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  strange.emplace_back(::memfd_create("x", MFD_CLOEXEC));
  strange.emplace_back(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  strange.emplace_back(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  strange.emplace_back(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  strange.emplace_back(::open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC));
  strange.emplace_back(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  strange.emplace_back(::fcntl(client_.get(), F_DUPFD_CLOEXEC, 3));
  strange.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  for (const UniqueFd& fd : strange) {
    CreateRequest request = create_request("strange");
    add_mount(request, "/data", false);
    int raw = fd.get();
    ASSERT_TRUE(send(&request, sizeof request, std::span(&raw, 1)));
    auto answer = reply();
    ASSERT_TRUE(answer);
    if (answer->status != LauncherStatus::kOk) continue;
    Ran ran = run_inside("strange", {"/bin/sh", "-c", "readlink /proc/self/ns/net; ls -la /data"});
    char host[64] = {};
    (void)!::readlink("/proc/self/ns/net", host, sizeof host - 1);
    EXPECT_EQ(ran.output.find(host), std::string::npos) << "the host's network: " << ran.output;
    destroy("strange");
  }
  expect_launcher_well();
}

// Walls stand whatever is asked: uid, network and namespaces seen from inside and from the host.
TEST_F(HijackedClient, NoRequestGivesRootOrTheNetwork) {
  CreateRequest request = create_request("walls");
  request.limits = {.memory_bytes = UINT64_MAX,
                    .disk_bytes = 1ull << 50,
                    .inodes = 1ull << 32,
                    .cpu_milli = UINT32_MAX,
                    .pids = UINT32_MAX,
                    .open_files = 1u << 20,
                    .reserved = UINT32_MAX};
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  if (answer->status != LauncherStatus::kOk) {
    request.limits = create_request("walls").limits;
    ASSERT_TRUE(send(&request, sizeof request));
    answer = reply();
    ASSERT_TRUE(answer);
  }
  ASSERT_EQ(answer->status, LauncherStatus::kOk);
  Ran ran = run_inside(
      "walls",
      {"/bin/sh", "-c", "id -u; id -g; readlink /proc/self/ns/net; grep CapEff /proc/self/status"});
  EXPECT_EQ(ran.output.rfind("1000\n1000\n", 0), 0u) << ran.output;
  EXPECT_NE(ran.output.find("CapEff:\t0000000000000000"), std::string::npos) << ran.output;
  char host[64] = {};
  (void)!::readlink("/proc/self/ns/net", host, sizeof host - 1);
  EXPECT_EQ(ran.output.find(host), std::string::npos) << ran.output;
  destroy("walls");
}

// The client's word is about its own sandboxes: another client's token does not open them.
TEST_F(HijackedClient, WrongTokenOpensNothing) {
  CreateRequest request = create_request("token");
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/token.sock", run_.c_str());
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  guest::Writer hello;
  hello.number(guest::kMagic).number(guest::kVersion);
  guest::Token wrong;
  wrong.fill(8);
  hello.raw({reinterpret_cast<const char*>(wrong.data()), wrong.size()});
  guest::ExecArgs args;
  args.argv = {"/bin/echo", "in"};
  guest::Writer open;
  open.number(guest::Op::kExec);
  guest::encode(open, args);
  send_frames(fd.get(), frame(guest::FrameType::kHello, 0, hello.bytes()) +
                            frame(guest::FrameType::kOpen, 1, open.bytes()));
  std::string got;
  char byte = 0;
  while (read_exactly(fd.get(), &byte, 1)) got += byte;
  EXPECT_EQ(got.find("in\n"), std::string::npos);
  pollfd end{fd.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&end, 1, 0), 1) << "the guest did not hang up";
  EXPECT_LE(::read(fd.get(), &byte, 1), 0);
  destroy("token");
}

// A one-shot launcher lends its files for one sandbox, made before anything hostile was read.
TEST_F(HijackedClient, OneShotLauncherBuildsOnce) {
  client_.reset();
  ::waitpid(launcher_, nullptr, 0);
  release_run_folder();
  start({"--once"});
  CreateRequest request = create_request("first");
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk);
  UniqueFd etc(::open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  request = create_request("second");
  add_mount(request, "/data");
  int fd = etc.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  answer = reply();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  destroy("first");
}

}  // namespace
}  // namespace atl::engine
