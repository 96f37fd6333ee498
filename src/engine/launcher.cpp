#include "engine/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/launcher_setup.hpp"
#include "engine/request_check.hpp"

namespace atl::engine {
namespace {

class Launcher {
 public:
  explicit Launcher(LauncherOptions options) : once_(options.once) {
    setup_failure_ = set_up_launcher(options, state_);
    clients_.push_back(std::move(options.control));
    if (!once_ && setup_failure_.step == Step::kNone) {
      boxes_ = find_boxes(state_);
      listen();
    }
  }

  int run() {
    while (!finished()) {
      wait_and_serve();
    }
    if (!once_) ::unlinkat(state_.run.get(), "launcher.sock", 0);
    ::unlinkat(state_.run.get(), "boxes", AT_REMOVEDIR);
    return 0;
  }

 private:
  bool finished() const { return clients_.empty() && boxes_.empty(); }

  // A restarted `atoll` comes back by this name.
  void listen() {
    listener_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/launcher.sock", state_.run.get());
    ::unlinkat(state_.run.get(), "launcher.sock", 0);
    mode_t old_mask = ::umask(0177);
    int bound = ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::umask(old_mask);
    if (bound != 0 || ::listen(listener_.get(), 8) != 0) return listener_.reset();
    if (!state_.rootless) {
      (void)!::fchownat(state_.run.get(), "launcher.sock", state_.client_uid, static_cast<gid_t>(-1), 0);
    }
  }

  void wait_and_serve() {
    std::vector<pollfd> fds;
    for (const UniqueFd& client : clients_) fds.push_back({client.get(), POLLIN, 0});
    for (const Box& box : boxes_) fds.push_back({box.pidfd.get(), POLLIN, 0});
    fds.push_back({listener_.get(), POLLIN, 0});
    if (::poll(fds.data(), fds.size(), -1) < 0) return;
    std::size_t boxes_at = clients_.size();
    std::size_t box_count = boxes_.size();
    // Ends first: a request that follows may want the slot.
    for (std::size_t i = box_count; i-- > 0;) {
      if (fds[boxes_at + i].revents != 0) box_ended(i);
    }
    for (std::size_t i = boxes_at; i-- > 0;) {
      if (fds[i].revents != 0) serve(i);
    }
    if (fds.back().revents != 0) accept_client();
  }

  void accept_client() {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ucred peer{};
    socklen_t size = sizeof peer;
    if (!client || ::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
    if (clients_.size() < kMaxClients && (state_.rootless || peer.uid == state_.client_uid || peer.uid == 0)) {
      clients_.push_back(std::move(client));
    }
  }

  void serve(std::size_t index) {
    std::vector<UniqueFd> received;
    ssize_t size = receive(clients_[index], received);
    if (size <= 0) {
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
      // The only client of a one-shot launcher is gone: so is the reason for its sandbox.
      if (once_) std::ranges::for_each(boxes_, kill_box);
      return;
    }
    int client = clients_[index].get();
    RequestHeader header;
    int error = check_request(*request_, static_cast<std::size_t>(size), received.size(), header);
    if (error != 0) return reply_failure(client, header, {Step::kBadRequest, error});
    switch (header.op) {
      case LauncherOp::kCreate: return create(client, received);
      case LauncherOp::kList: return list(client, header);
      case LauncherOp::kDestroy:
      case LauncherOp::kFreeze:
      case LauncherOp::kThaw:
      case LauncherOp::kUsage: return use_box(client, header);
    }
  }

  // One datagram into request_; its descriptors are owned from the first moment.
  ssize_t receive(const UniqueFd& client, std::vector<UniqueFd>& received) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxMounts)];
    iovec part{request_.get(), sizeof *request_};
    msghdr message{.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t size = ::recvmsg(client.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR ? 1 : -1;
    for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
      if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
      std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(at) + i * sizeof fd, sizeof fd);
        received.emplace_back(fd);
      }
    }
    return size;
  }

  void create(int client, std::vector<UniqueFd>& sources) {
    const RequestHeader& header = request_->header;
    if (setup_failure_.step != Step::kNone) return reply_failure(client, header, setup_failure_);
    // A one-shot launcher was told whose files to lend for one sandbox only.
    if ((once_ && created_) || boxes_.size() >= kMaxSlots) return reply_failure(client, header, {Step::kBusy, EBUSY});
    if (find(header.id) != boxes_.end()) return reply_failure(client, header, {Step::kBusy, EEXIST});
    created_ = true;
    std::expected<Box, Failure> box = create_box(state_, *request_, sources);
    if (!box) return reply_failure(client, header, box.error());
    LauncherReply reply{.op = header.op, .walls = box->walls, .id = header.id};
    boxes_.push_back(std::move(*box));
    send(client, reply);
  }

  void use_box(int client, const RequestHeader& header) {
    auto box = find(header.id);
    if (box == boxes_.end()) return reply_failure(client, header, {Step::kUnknownBox, ENOENT});
    LauncherReply reply{.op = header.op, .walls = box->walls, .id = header.id};
    if (header.op == LauncherOp::kDestroy) {
      kill_box(*box);
      return;  // box_ended() replies
    }
    if (header.op == LauncherOp::kUsage) {
      reply.usage = box->slot.cgroup.usage();
      reply.usage.disk_bytes = disk_usage(*box);
    } else if (Result<void> done = box->slot.cgroup.freeze(header.op == LauncherOp::kFreeze); !done) {
      return reply_failure(client, header, {Step::kCgroup, done.error().errno_value()});
    }
    send(client, reply);
  }

  void list(int client, const RequestHeader& header) {
    for (const Box& box : boxes_) {
      send(client, {.status = LauncherStatus::kListed, .op = header.op, .walls = box.walls, .id = box.id});
    }
    send(client, {.op = header.op});
  }

  // /workspace lies on the file system of everything writable, and nobody inside can move it.
  static std::uint64_t disk_usage(const Box& box) {
    char path[48];
    std::snprintf(path, sizeof path, "/proc/%d/root/workspace", box.pid);
    struct statfs fs {};
    if (::statfs(path, &fs) != 0) return 0;
    return (fs.f_blocks - fs.f_bfree) * static_cast<std::uint64_t>(fs.f_bsize);
  }

  static void kill_box(Box& box) {
    // Frozen processes do not die; pid 1's death takes the whole pid namespace with it.
    (void)box.slot.cgroup.freeze(false);
    box.dying = true;
    ::syscall(SYS_pidfd_send_signal, box.pidfd.get(), SIGKILL, nullptr, 0);
  }

  void box_ended(std::size_t index) {
    Box& box = boxes_[index];
    siginfo_t info{};
    if (box.is_child) ::waitid(P_PIDFD, static_cast<id_t>(box.pidfd.get()), &info, WEXITED | WNOHANG);
    LauncherReply reply{.status = box.dying ? LauncherStatus::kOk : LauncherStatus::kExited,
                        .op = LauncherOp::kDestroy, .id = box.id, .usage = box.slot.cgroup.usage()};
    forget_box(state_, box);
    boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(index));
    for (const UniqueFd& client : clients_) send(client.get(), reply);
  }

  std::vector<Box>::iterator find(const BoxId& id) {
    return std::ranges::find_if(boxes_, [&id](const Box& box) { return box.id.text == id.text; });
  }

  static void reply_failure(int client, const RequestHeader& header, Failure failure) {
    send(client, {.status = LauncherStatus::kFailed, .op = header.op, .step = failure.step,
                  .errno_value = failure.errno_value, .id = header.id});
  }

  // A client that does not read loses replies; it never blocks the launcher.
  static void send(int client, const LauncherReply& reply) {
    (void)!::send(client, &reply, sizeof reply, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  static constexpr std::size_t kMaxClients = 8;
  bool once_;
  bool created_ = false;
  LauncherState state_;
  Failure setup_failure_;
  UniqueFd listener_;
  std::vector<UniqueFd> clients_;
  std::vector<Box> boxes_;
  std::unique_ptr<CreateRequest> request_ = std::make_unique<CreateRequest>();
};

}  // namespace

int run_launcher(LauncherOptions options) {
  ::signal(SIGPIPE, SIG_IGN);
  return Launcher(std::move(options)).run();
}

}  // namespace atl::engine
