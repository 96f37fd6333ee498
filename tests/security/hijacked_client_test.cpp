// Poses as a hijacked `atoll`: an unprivileged process that holds the launcher's control socket and
// says whatever it likes. It must get neither /etc/shadow nor uid 0 nor the host's network, and must
// not bring the launcher down for others. The launcher is started here as `atoll` starts it, with its
// own run folder; requests are sent from a child that has dropped its privileges first.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"
#include "engine/launcher_protocol.hpp"
#include "guest/messages.hpp"
#include "guest/protocol.hpp"

namespace atl::engine {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr uid_t kHijacked = 61235;  // nobody on a Debian host
constexpr int kReplyMs = 10000;

// A launcher of its own, and the client's end of its control socket.
class HijackedClient : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::geteuid(), 0u) << "this test starts a launcher as root and then drops to another uid";
    char name[] = "/tmp/atoll-hijack-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    ASSERT_EQ(::chmod(name, 0755), 0);
    run_ = folder_ + "/run";
    start();
  }

  void TearDown() override {
    client_.reset();
    if (launcher_ > 0) {
      // Without a client it ends once its sandboxes have; those are destroyed by the tests, or here.
      for (int i = 0; i < 200 && ::waitpid(launcher_, nullptr, WNOHANG) == 0; ++i) {
        if (i == 100) ::kill(launcher_, SIGKILL);
        std::this_thread::sleep_for(10ms);
      }
    }
    release_run_folder();
    fs::remove_all(folder_);
  }

  void start(std::vector<std::string> more = {}) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    std::string uid = std::to_string(kHijacked);
    std::vector<std::string> words = {ATOLL_BIN_DIR "/atoll-launcher", "--control", "3", "--run", run_,
                                      "--guest", ATOLL_BIN_DIR "/atoll-guest", "--client-uid", uid,
                                      "--mount-owner", uid};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    launcher_ = ::fork();
    ASSERT_GE(launcher_, 0);
    if (launcher_ == 0) {
      ::dup2(pair[1], 3);
      ::syscall(SYS_close_range, 4, ~0u, 0);
      char* env[] = {nullptr};
      ::execve(argv[0], argv.data(), env);
      ::_exit(127);
    }
    ::close(pair[1]);
    client_.reset(pair[0]);
  }

  // Kept network namespaces are mounts in the run folder.
  void release_run_folder() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(run_ + "/net", ignored)) ::umount2(entry.path().c_str(), MNT_DETACH);
  }

  // Runs `body` without privileges and gives its exit status: what it could do, a hijacked `atoll` can.
  static int unprivileged(const std::function<int()>& body) {
    pid_t pid = ::fork();
    if (pid == 0) {
      if (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::syscall(SYS_setresgid, kHijacked, kHijacked, kHijacked) != 0 ||
          ::syscall(SYS_setresuid, kHijacked, kHijacked, kHijacked) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        ::_exit(200);
      }
      ::_exit(body());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }

  // A descriptor opened by the hijacked process, passed back to the test. Invalid when it could not.
  static UniqueFd opened_unprivileged(const char* path, int flags) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) return {};
    int code = unprivileged([&] {
      int fd = ::open(path, flags | O_CLOEXEC);
      if (fd < 0) return 1;
      return send_raw(pair[1], "x", 1, std::span(&fd, 1)) ? 0 : 2;
    });
    UniqueFd got;
    if (code == 0) {
      char byte;
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
      iovec part{&byte, 1};
      msghdr message{.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
      if (::recvmsg(pair[0], &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message) != nullptr) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
        got.reset(fd);
      }
    }
    ::close(pair[0]);
    ::close(pair[1]);
    return got;
  }

  static bool send_raw(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
    iovec part{const_cast<void*>(bytes), size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    std::vector<char> control(CMSG_SPACE(sizeof(int) * std::max<std::size_t>(fds.size(), 1)));
    if (!fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
      cmsghdr* head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
      std::memcpy(CMSG_DATA(head), fds.data(), sizeof(int) * fds.size());
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }

  bool send(const void* bytes, std::size_t size, std::span<const int> fds = {}) {
    return send_raw(client_.get(), bytes, size, fds);
  }

  std::optional<LauncherReply> reply(int milliseconds = kReplyMs) {
    pollfd wait{client_.get(), POLLIN, 0};
    if (::poll(&wait, 1, milliseconds) != 1) return std::nullopt;
    LauncherReply got;
    if (::recv(client_.get(), &got, sizeof got, 0) != sizeof got) return std::nullopt;
    return got;
  }

  static CreateRequest create_request(const char* id) {
    CreateRequest request;
    std::snprintf(request.header.id.text.data(), kBoxIdSize, "%s", id);
    std::snprintf(request.hostname.data(), request.hostname.size(), "atoll");
    request.limits.memory_bytes = 64u << 20;
    request.limits.disk_bytes = 16u << 20;
    request.limits.pids = 32;
    request.token.fill(7);
    return request;
  }

  static void add_mount(CreateRequest& request, const char* target, bool read_only = true) {
    MountEntry& entry = request.mounts[request.mount_count++];
    std::snprintf(entry.target.data(), entry.target.size(), "%s", target);
    entry.read_only = read_only ? 1 : 0;
  }

  void destroy(const char* id) {
    RequestHeader header{.op = LauncherOp::kDestroy};
    std::snprintf(header.id.text.data(), kBoxIdSize, "%s", id);
    ASSERT_TRUE(send(&header, sizeof header));
    auto answer = reply();
    ASSERT_TRUE(answer) << "no word after a destroy";
  }

  // Still there, still answering, still willing to build an ordinary sandbox.
  void expect_launcher_well() {
    RequestHeader header{.op = LauncherOp::kList};
    ASSERT_TRUE(send(&header, sizeof header)) << "the launcher hung up";
    std::optional<LauncherReply> answer;
    do {
      answer = reply();
      ASSERT_TRUE(answer) << "the launcher does not answer";
    } while (answer->status == LauncherStatus::kListed);
    EXPECT_EQ(answer->status, LauncherStatus::kOk);
    EXPECT_EQ(::waitpid(launcher_, nullptr, WNOHANG), 0) << "the launcher ended";
  }

  // Runs argv in the sandbox `id` as the client would and gives output and exit code.
  struct Ran {
    std::string output;
    int code = -1;
  };
  Ran run_inside(const char* id, std::vector<std::string> argv);

  std::string folder_;
  std::string run_;
  pid_t launcher_ = -1;
  UniqueFd client_;
};

bool read_exactly(int fd, void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, kReplyMs) != 1) return false;
    ssize_t got = ::read(fd, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_frame(int fd, guest::FrameType type, std::uint32_t channel, std::string_view payload) {
  std::string bytes(guest::kHeaderSize, '\0');
  auto length = static_cast<std::uint32_t>(payload.size());
  std::memcpy(bytes.data(), &length, 4);
  std::memcpy(bytes.data() + 4, &channel, 4);
  bytes[8] = static_cast<char>(type);
  bytes.append(payload);
  EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

HijackedClient::Ran HijackedClient::run_inside(const char* id, std::vector<std::string> argv) {
  Ran ran;
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/%s.sock", run_.c_str(), id);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ADD_FAILURE() << "connect to " << address.sun_path << ": " << std::strerror(errno);
    return ran;
  }
  guest::Writer hello;
  hello.number(guest::kMagic).number(guest::kVersion);
  guest::Token token;
  token.fill(7);
  hello.raw({reinterpret_cast<const char*>(token.data()), token.size()});
  write_frame(fd.get(), guest::FrameType::kHello, 0, hello.bytes());
  guest::ExecArgs args;
  args.argv = std::move(argv);
  args.cwd = "/";
  args.timeout_ms = 8000;
  guest::Writer open;
  open.number(guest::Op::kExec);
  guest::encode(open, args);
  write_frame(fd.get(), guest::FrameType::kOpen, 1, open.bytes());
  for (;;) {
    char header[guest::kHeaderSize];
    if (!read_exactly(fd.get(), header, sizeof header)) return ran;
    std::uint32_t length = 0;
    std::memcpy(&length, header, 4);
    if (length > guest::kMaxPayload) return ran;
    std::string payload(length, '\0');
    if (!read_exactly(fd.get(), payload.data(), length)) return ran;
    auto type = static_cast<guest::FrameType>(header[8]);
    if (type == guest::FrameType::kData) ran.output += payload;
    if (type == guest::FrameType::kExit) {
      auto info = guest::decoded<guest::ExitInfo>(payload);
      if (info) ran.code = info->signal != 0 ? 128 + info->signal : info->exit_code;
      return ran;
    }
    if (type == guest::FrameType::kReply && length >= 2 && payload[0] != 0) {
      ran.output += payload.substr(2);
      return ran;
    }
  }
}

TEST_F(HijackedClient, AnOrdinarySandboxWorks) {
  CreateRequest request = create_request("plain");
  ASSERT_TRUE(send(&request, sizeof request));
  auto answer = reply();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk) << static_cast<int>(answer->step) << " " << std::strerror(answer->errno_value);
  Ran ran = run_inside("plain", {"/bin/sh", "-c", "id -u; cat /proc/net/dev | wc -l"});
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output.rfind("1000\n", 0), 0u) << ran.output;
  destroy("plain");
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
  const Try kTries[] = {{"/etc", "/data/shadow"},
                        {"/", "/data/etc/shadow"},
                        {folder_.c_str(), "/data/secret"},
                        {folder_.c_str(), "/data/closed/file"},
                        {"/proc", "/data/1/environ"},
                        {"/sys", "/data/kernel/notes"},
                        {"/dev", "/data/vda"},
                        {"/sys/fs/cgroup", "/data/pids/cgroup.procs"}};
  for (const Try& attempt : kTries) {
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
      std::string script = std::string("head -c 64 ") + attempt.secret + " && echo LEAKED; echo x > " + attempt.secret +
                           " && echo WRITTEN; touch /data/new-file && echo CREATED; true";
      Ran ran = run_inside("folder", {"/bin/sh", "-c", script});
      EXPECT_EQ(ran.output.find("LEAKED"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("WRITTEN"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("CREATED"), std::string::npos) << ran.output;
      destroy("folder");
    }
  }
  EXPECT_FALSE(fs::exists("/etc/new-file") || fs::exists("/new-file") || fs::exists(folder_ + "/new-file"));
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
  ASSERT_EQ(answer->status, LauncherStatus::kOk) << static_cast<int>(answer->step) << " " << std::strerror(answer->errno_value);
  Ran ran = run_inside("own", {"/data/tool", "sets"});
  EXPECT_EQ(ran.code, 10) << ran.output;
  ran = run_inside("own", {"/bin/sh", "-c", "dd if=/data/disk of=/dev/null bs=1 count=1 && echo LEAKED; echo hi > /data/mine; id -u"});
  EXPECT_EQ(ran.output.find("LEAKED"), std::string::npos) << ran.output;
  // What it wrote belongs to the client, not to root.
  struct stat info {};
  ASSERT_EQ(::stat((own + "/mine").c_str(), &info), 0) << ran.output;
  EXPECT_EQ(info.st_uid, kHijacked);
  destroy("own");
}

// A link in a mounted folder must not lead a second mount, a rule or a made folder out of the sandbox.
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
    PathRule& rule = request.rules[request.rule_count++];
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

TEST_F(HijackedClient, BadTargetsAreRefused) {
  UniqueFd folder = opened_unprivileged("/usr", O_RDONLY | O_DIRECTORY);
  for (const char* target : {"", "/", "data", "/..", "/../etc", "/data/..", "/data/../../etc", "/./data", "//data", "/proc",
                             "/proc/self", "/proc/sys/kernel", "/dev", "/dev/null", "/mnt", "/mnt/x", "/opt/atoll",
                             "/opt/atoll/hidden"}) {
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
  request.mount_count = 1;
  request.mounts[0].target.fill('a');
  request.mounts[0].target[0] = '/';
  int fd = folder.get();
  ASSERT_TRUE(send(&request, sizeof request, std::span(&fd, 1)));
  auto answer = reply();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  expect_launcher_well();
}

// Rules are paths inside; none may take a wall down.
TEST_F(HijackedClient, RulesTakeNoWallDown) {
  for (const char* path : {"/proc", "/proc/sys", "/proc/keys", "/dev", "/dev/null", "/etc", "/", "/usr", "/opt/atoll/hidden",
                           "/opt/atoll", "/mnt", "/proc/../etc", "relative", ""}) {
    for (auto action : {PathAction::kHide, PathAction::kReadOnly, PathAction::kWritable, static_cast<PathAction>(0),
                        static_cast<PathAction>(77)}) {
      SCOPED_TRACE(std::string(path) + " action " + std::to_string(static_cast<unsigned>(action)));
      CreateRequest request = create_request("rule");
      PathRule& rule = request.rules[request.rule_count++];
      rule.action = action;
      std::snprintf(rule.path.data(), rule.path.size(), "%s", path);
      ASSERT_TRUE(send(&request, sizeof request));
      auto answer = reply();
      ASSERT_TRUE(answer);
      if (answer->status != LauncherStatus::kOk) continue;
      // Built: then the kernel's files are still masked and read-only where they are visible at all.
      Ran ran = run_inside("rule", {"/bin/sh", "-c",
                                    "test -s /proc/keys && echo UNMASKED; test -w /proc/sys/kernel/core_pattern && echo WRITABLE; "
                                    "test -w /usr/bin && ! test -e /usr/bin/env || true"});
      EXPECT_EQ(ran.output.find("UNMASKED"), std::string::npos) << ran.output;
      EXPECT_EQ(ran.output.find("WRITABLE"), std::string::npos) << ran.output;
      destroy("rule");
    }
  }
  expect_launcher_well();
}

TEST_F(HijackedClient, BadIdsAreRefused) {
  for (const char* id : {"", "a/b", "../x", "/etc/cron.d/x", ".", "..", "A", "a b", "a.sock", "slots", "a\n", "é"}) {
    SCOPED_TRACE(id);
    CreateRequest request = create_request(id);
    ASSERT_TRUE(send(&request, sizeof request));
    auto answer = reply();
    ASSERT_TRUE(answer);
    bool names_only = std::string_view(id) == "slots";  // a good id, even if a folder has that name
    if (!names_only) EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    if (answer->status == LauncherStatus::kOk) destroy(id);
    for (auto op : {LauncherOp::kDestroy, LauncherOp::kFreeze, LauncherOp::kThaw, LauncherOp::kUsage}) {
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
  auto refused = [&](const void* bytes, std::size_t size, std::span<const int> fds = {}) {
    ASSERT_TRUE(send(bytes, size, fds));
    auto answer = reply();
    ASSERT_TRUE(answer) << "no answer";
    EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    if (answer->status == LauncherStatus::kOk && answer->op == LauncherOp::kCreate) destroy("malformed");
  };
  for (std::size_t size : {std::size_t{1}, std::size_t{4}, sizeof(RequestHeader) - 1, sizeof(RequestHeader), sizeof good - 1}) {
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
  bad.header.version = 2;
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
    bad.mount_count = count;
    refused(&bad, sizeof bad);
    if (count != 1) refused(&bad, sizeof bad, std::span(many.data(), 1));
  }
  refused(&good, sizeof good, std::span(many.data(), 3));   // descriptors nobody announced
  refused(&good, sizeof good, std::span(many.data(), 20));  // more than there is room for
  for (std::uint32_t count : {65u, 0xffffffffu}) {
    bad = good;
    bad.rule_count = count;
    refused(&bad, sizeof bad);
  }
  bad = good;
  bad.limits = {.memory_bytes = 0, .disk_bytes = 0, .inodes = UINT64_MAX, .cpu_milli = 0, .pids = 0, .open_files = 0};
  refused(&bad, sizeof bad);
  for (std::string_view host : {std::string_view(""), std::string_view("a/b"), std::string_view("a b"), std::string_view("\x01")}) {
    bad = good;
    bad.hostname.fill(0);
    std::copy(host.begin(), host.end(), bad.hostname.begin());
    refused(&bad, sizeof bad);
  }
  bad = good;
  bad.hostname.fill('a');
  refused(&bad, sizeof bad);
  // A frozen launcher would be as good as a dead one: none of the descriptors may stay with it.
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/" + std::to_string(launcher_) + "/fd")) ++open;
  EXPECT_LT(open, 40u) << "descriptors pile up in the launcher";
  ::close(null);
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
  request.limits = {.memory_bytes = UINT64_MAX, .disk_bytes = 1ull << 50, .inodes = 1ull << 32, .cpu_milli = UINT32_MAX,
                    .pids = UINT32_MAX, .open_files = 1u << 20, .reserved = UINT32_MAX};
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
  Ran ran = run_inside("walls", {"/bin/sh", "-c", "id -u; id -g; readlink /proc/self/ns/net; grep CapEff /proc/self/status"});
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
  write_frame(fd.get(), guest::FrameType::kHello, 0, hello.bytes());
  guest::ExecArgs args;
  args.argv = {"/bin/echo", "in"};
  guest::Writer open;
  open.number(guest::Op::kExec);
  guest::encode(open, args);
  write_frame(fd.get(), guest::FrameType::kOpen, 1, open.bytes());
  std::string got;
  char buffer[4096];
  pollfd wait{fd.get(), POLLIN, 0};
  while (::poll(&wait, 1, 3000) == 1) {
    ssize_t size = ::read(fd.get(), buffer, sizeof buffer);
    if (size <= 0) break;
    got.append(buffer, static_cast<std::size_t>(size));
  }
  EXPECT_EQ(got.find("in\n"), std::string::npos);
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
    while (auto answer = reply(0)) built += answer->op == LauncherOp::kCreate && answer->status == LauncherStatus::kOk;
  };
  for (int i = 0; i < 10000; ++i) {
    CreateRequest request = create_request("noise");
    unsigned kind = random() % 8;
    if (kind < 3) {
      bytes.resize(1 + random() % (sizeof request + 64));
      for (char& byte : bytes) byte = static_cast<char>(random());
      if (kind == 1 && bytes.size() >= sizeof(RequestHeader)) std::memcpy(bytes.data(), &request.header, 8);
    } else {
      bytes.resize(sizeof request);
      std::memcpy(bytes.data(), &request, sizeof request);
      unsigned changes = 1 + random() % 64;
      for (unsigned c = 0; c < changes; ++c) bytes[random() % (c % 2 == 0 ? 256 : bytes.size())] = static_cast<char>(random());
      // Most would be refused for their magic or id alone: keep those whole now and then.
      if (kind > 4) std::memcpy(bytes.data(), &request.header, sizeof request.header);
    }
    std::vector<int> fds(random() % 6);
    for (int& fd : fds) fd = random() % 2 == 0 ? usr.get() : null.get();
    ASSERT_TRUE(send(bytes.data(), bytes.size(), fds)) << "after " << i << " messages: " << std::strerror(errno);
    if (i % 16 == 0) drain();
    if (i % 500 == 0) ASSERT_EQ(::waitpid(launcher_, nullptr, WNOHANG), 0) << "the launcher ended after " << i;
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
      if (answer->status != LauncherStatus::kListed) break;
      living.push_back(answer->id);
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
