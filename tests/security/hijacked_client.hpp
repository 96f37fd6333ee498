// Poses as a hijacked `atoll`: an unprivileged process that holds the launcher's control socket and
// says whatever it likes. It must get neither /etc/shadow nor uid 0 nor the host's network, and
// must not bring the launcher down for others. The launcher is started here as `atoll` starts it,
// with its own run folder; requests are sent from a child that has dropped its privileges first.
#pragma once

#include <fcntl.h>
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

#include <algorithm>
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

#include <gtest/gtest.h>

#include "base/unique_fd.hpp"
#include "engine/launcher_protocol.hpp"
#include "guest/messages.hpp"
#include "guest/protocol.hpp"

namespace atl::engine {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

inline constexpr uid_t kHijacked = 61235;  // nobody on a Debian host
inline constexpr int kReplyMs = 60000;

// A launcher of its own, and the client's end of its control socket.
class HijackedClient : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::geteuid(), 0u)
        << "this test starts a launcher as root and then drops to another uid";
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
      for (int i = 0; i < 6200 && ::waitpid(launcher_, nullptr, WNOHANG) == 0; ++i) {
        if (i == 6000) ::kill(launcher_, SIGKILL);
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
    std::vector<std::string> words = {std::string(ATOLL_BIN_DIR) + "/atoll-launcher",
                                      "--control",
                                      "3",
                                      "--run",
                                      run_,
                                      "--programs",
                                      ATOLL_BIN_DIR,
                                      "--client-uid",
                                      uid,
                                      "--mount-owner",
                                      uid,
                                      "--mount-group",
                                      uid};
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
    for (const auto& entry : fs::directory_iterator(run_ + "/net", ignored))
      ::umount2(entry.path().c_str(), MNT_DETACH);
  }

  // Runs `body` without privileges and gives its exit status: what it could do, a hijacked `atoll`
  // can.
  static int unprivileged(const std::function<int()>& body) {
    pid_t pid = ::fork();
    if (pid == 0) {
      if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
          ::syscall(SYS_setresgid, kHijacked, kHijacked, kHijacked) != 0 ||
          ::syscall(SYS_setresuid, kHijacked, kHijacked, kHijacked) != 0 ||
          ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        ::_exit(200);
      }
      ::_exit(body());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }

  // A descriptor opened by the hijacked process, passed back to the test. Invalid when it could
  // not.
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
      msghdr message{.msg_iov = &part,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control};
      if (::recvmsg(pair[0], &message, MSG_CMSG_CLOEXEC) == 1 &&
          CMSG_FIRSTHDR(&message) != nullptr) {
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
    ListReply got;  // the largest; of others only the head is there
    ssize_t size = ::recv(client_.get(), &got, sizeof got, 0);
    if (size != sizeof got && size != sizeof got.head) return std::nullopt;
    if (size == sizeof got) list_.assign(got.ids.begin(), got.ids.begin() + got.count);
    return got.head;
  }

  static CreateRequest create_request(const char* id) {
    CreateRequest request;
    std::snprintf(request.header.id.text.data(), kBoxIdSize, "%s", id);
    std::snprintf(request.start.hostname.data(), request.start.hostname.size(), "atoll");
    request.limits.memory_bytes = 64u << 20;
    request.limits.disk_bytes = 16u << 20;
    request.limits.pids = 32;
    request.token.fill(7);
    return request;
  }

  static void add_mount(CreateRequest& request, const char* target, bool read_only = true) {
    std::uint32_t at = request.start.mount_count++;
    std::snprintf(request.start.mounts[at].data(), kMaxBoxPath, "%s", target);
    if (!read_only) request.writable_mounts |= 1u << at;
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
  std::vector<BoxId> list_;  // of the last reply to a list
};

inline bool read_exactly(int fd, void* to, std::size_t size) {
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

inline std::string frame(guest::FrameType type, std::uint32_t channel, std::string_view payload) {
  std::string bytes(guest::kHeaderSize, '\0');
  auto length = static_cast<std::uint32_t>(payload.size());
  std::memcpy(bytes.data(), &length, 4);
  std::memcpy(bytes.data() + 4, &channel, 4);
  bytes[8] = static_cast<char>(type);
  return bytes.append(payload);
}

// In one piece: a guest that refuses the first frame hangs up before it would get the second.
inline void send_frames(int fd, std::string_view frames) {
  EXPECT_EQ(::send(fd, frames.data(), frames.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(frames.size()));
}

inline HijackedClient::Ran HijackedClient::run_inside(const char* id,
                                                      std::vector<std::string> argv) {
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
  guest::ExecArgs args;
  args.argv = std::move(argv);
  args.cwd = "/";
  args.timeout_ms = 60000;
  guest::Writer open;
  open.number(guest::Op::kExec);
  guest::encode(open, args);
  send_frames(fd.get(), frame(guest::FrameType::kHello, 0, hello.bytes()) +
                            frame(guest::FrameType::kOpen, 1, open.bytes()));
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

}  // namespace atl::engine
