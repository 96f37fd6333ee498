#include "engine/launcher.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/request_check.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

bool has_ended(const UniqueFd& child) {
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(child.get()), &info, WEXITED | WNOHANG);
  return info.si_pid != 0;
}

class Launcher {
 public:
  explicit Launcher(LauncherOptions options) : folder_(options.run_folder), once_(options.once) {
    ready_ = set_up_launcher(options, state_);
    clients_.push_back(std::move(options.control));
    if (!once_ && ready_) {
      boxes_ = find_boxes(state_);
      // A restarted `atoll` comes back by this name; earlier launchers have theirs.
      ::unlinkat(state_.run.get(), name_.c_str(), 0);
      listener_ = listen_at(state_.run, name_.c_str(), SOCK_SEQPACKET, state_.socket_owner());
    }
  }

  int run() {
    while (!clients_.empty() || !boxes_.empty()) wait_and_serve();
    if (!once_) ::unlinkat(state_.run.get(), name_.c_str(), 0);
    if (::flock(state_.run.get(), LOCK_EX | LOCK_NB) != 0) return 0;  // the next launcher has come
    ::unlinkat(state_.run.get(), "boxes", AT_REMOVEDIR);
    // That of a server is nobody else's. By its descriptor: this launcher's root is another one.
    UniqueFd above = open_at(state_.run.get(), "..", O_PATH | O_DIRECTORY);
    if (!once_) ::unlinkat(above.get(), folder_.c_str() + folder_.rfind('/') + 1, AT_REMOVEDIR);
    return 0;
  }

 private:
  void wait_and_serve() {
    std::vector<pollfd> fds;
    for (const UniqueFd& client : clients_) fds.push_back({client.get(), POLLIN, 0});
    for (const Box& box : boxes_) fds.push_back({box.pidfd.get(), POLLIN, 0});
    for (const UniqueFd& zygote : zygotes_) fds.push_back({zygote.get(), POLLIN, 0});
    fds.push_back({listener_.get(), POLLIN, 0});
    if (::poll(fds.data(), fds.size(), -1) < 0) return;
    // Ends first: a request that follows may want the slot. Backwards, as both lists may shrink.
    std::size_t boxes_at = clients_.size();
    for (std::size_t i = boxes_.size(); i-- > 0;) {
      if (fds[boxes_at + i].revents != 0) box_ended(i);
    }
    if (std::erase_if(zygotes_, has_ended) > 0) end_rest(state_);
    for (std::size_t i = boxes_at; i-- > 0;) {
      if (fds[i].revents != 0) serve(i, (fds[i].revents & POLLHUP) != 0);
    }
    if (fds.back().revents != 0) accept_client();
  }

  void accept_client() {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ucred peer{};
    socklen_t size = sizeof peer;
    if (!client || ::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
    bool known = state_.rootless || peer.uid == state_.client_uid || peer.uid == 0;
    if (known && clients_.size() < kMaxClients) clients_.push_back(std::move(client));
  }

  // A client that is gone is not served any more: what it asked for would be nobody's, and the next
  // one may have looked through the sandboxes already (settle_launchers).
  void serve(std::size_t index, bool is_gone) {
    std::vector<UniqueFd> received;
    ssize_t size = is_gone ? 0 : receive(clients_[index], received);
    if (size <= 0) {
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
      // The only client of a one-shot launcher is gone: so is the reason for its sandbox.
      if (once_) std::ranges::for_each(boxes_, kill_box);
      return;
    }
    RequestHeader header;
    int error = check_request(*request_, static_cast<std::size_t>(size), received.size(), header);
    LauncherReply reply{.op = header.op, .id = header.id};
    int client = clients_[index].get();
    Outcome<bool> done =
        error == 0 ? answer(client, received, reply) : failed(Step::kBadRequest, error);
    if (!done) {
      reply.status = LauncherStatus::kFailed;
      reply.step = done.error().step;
      reply.errno_value = done.error().errno_value;
    }
    if (!done || *done) send(client, reply);
  }

  // One datagram into request_; its descriptors are owned from the first moment.
  ssize_t receive(const UniqueFd& client, std::vector<UniqueFd>& received) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)];
    iovec part{request_.get(), sizeof *request_};
    msghdr message{.msg_iov = &part,
                   .msg_iovlen = 1,
                   .msg_control = control,
                   .msg_controllen = sizeof control};
    // MSG_TRUNC: the size that was sent, so that a longer message is not taken for a whole one.
    ssize_t size = ::recvmsg(client.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0) return errno == EAGAIN || errno == EINTR ? 1 : -1;
    // The kernel gathers all descriptors of a message under one header.
    if (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr && at->cmsg_type == SCM_RIGHTS) {
      const int* fds = reinterpret_cast<const int*>(CMSG_DATA(at));
      std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (int fd : std::span(fds, count)) received.emplace_back(fd);
    }
    return size;
  }

  // Does what the checked request_ asks and fills the reply in. False: box_ended() will reply.
  Outcome<bool> answer(int client, std::vector<UniqueFd>& sources, LauncherReply& reply) {
    if (reply.op == LauncherOp::kCreate) return create(sources, reply);
    if (reply.op == LauncherOp::kList) return list(client);
    if (reply.op == LauncherOp::kZygote) return start_zygote_of(sources, reply);
    auto box = find(reply.id);
    if (box == boxes_.end()) {
      // A launcher that died while it made this one has left its names.
      if (reply.op == LauncherOp::kDestroy) forget_box(state_, reply.id);
      return failed(Step::kUnknownBox, ENOENT);
    }
    reply.walls = box->walls;
    if (reply.op == LauncherOp::kDestroy) {
      kill_box(*box);
      return false;
    }
    if (reply.op == LauncherOp::kUsage) {
      reply.usage = box->slot.cgroup.usage();
      reply.usage.disk_bytes = disk_usage(*box);
    } else if (reply.op == LauncherOp::kLimits) {
      if (state_.rootless) return failed(Step::kLimits, EOPNOTSUPP);
      ATOLL_CHECK(box->slot.cgroup.set_limits(request_->limits, box->walls));
    } else {
      ATOLL_CHECK(box->slot.cgroup.freeze(reply.op == LauncherOp::kFreeze));
    }
    return true;
  }

  Outcome<bool> create(std::vector<UniqueFd>& sources, LauncherReply& reply) {
    ATOLL_CHECK(ready_);
    // A one-shot launcher was told whose files to lend for one sandbox only.
    if ((once_ && created_) || boxes_.size() >= kMaxSlots) return failed(Step::kBusy, EBUSY);
    if (find(reply.id) != boxes_.end()) return failed(Step::kBusy, EEXIST);
    created_ = true;
    UniqueFd connection;
    if (request_->connected != 0) {
      connection = std::move(sources.back());
      sources.pop_back();
    }
    ATOLL_TRY(Box box, create_box(state_, *request_, sources, std::move(connection)));
    reply.walls = box.walls;
    reply.zygote = box.has_zygote ? 1 : 0;
    boxes_.push_back(std::move(box));
    return true;
  }

  Outcome<bool> start_zygote_of(std::vector<UniqueFd>& given, LauncherReply& reply) {
    ATOLL_CHECK(ready_);
    ZygoteRequest request;
    std::memcpy(&request, request_.get(), sizeof request);
    ATOLL_TRY(UniqueFd zygote, start_zygote(state_, request, given[0], given[1]));
    reply.zygote = zygote ? 1 : 0;
    if (zygote) zygotes_.push_back(std::move(zygote));
    return true;
  }

  bool list(int client) {
    LauncherReply entry{.status = LauncherStatus::kListed, .op = LauncherOp::kList};
    for (const Box& box : boxes_) {
      entry.walls = box.walls;
      entry.id = box.id;
      send(client, entry);
    }
    return true;
  }

  // /workspace lies on the file system of everything writable, and nobody inside can move it.
  static std::uint64_t disk_usage(const Box& box) {
    struct statfs fs{};
    if (::statfs(Text("/proc/%d/root/workspace", box.pid).c_str(), &fs) != 0) return 0;
    return (fs.f_blocks - fs.f_bfree) * static_cast<std::uint64_t>(fs.f_bsize);
  }

  static void kill_box(Box& box) {
    // Frozen processes do not die; pid 1's death takes the whole pid namespace with it.
    (void)box.slot.cgroup.freeze(false);
    box.dying = true;
    send_kill(box.pidfd);
  }

  void box_ended(std::size_t index) {
    Box& box = boxes_[index];
    if (box.is_child) (void)has_ended(box.pidfd);
    box.slot.cgroup.end_all();  // what a zygote has put there from outside
    LauncherReply reply{.status = box.dying ? LauncherStatus::kOk : LauncherStatus::kExited,
                        .op = LauncherOp::kDestroy,
                        .id = box.id,
                        .usage = box.slot.cgroup.usage()};
    forget_box(state_, box.id);
    renew_network(box.slot);
    boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(index));
    for (const UniqueFd& client : clients_) send(client.get(), reply);
  }

  // Still under the slot's lock; what is kept there is kept by mounts on the host's side.
  void renew_network(const Slot& slot) {
    if (state_.rootless || !slot.netns || ::setns(state_.host_mounts.get(), CLONE_NEWNS) != 0)
      return;
    renew_netns(state_.shared, slot);
    bool back = ::setns(state_.host_template.get(), CLONE_NEWNS) == 0 &&
                ::setns(state_.host_network.get(), CLONE_NEWNET) == 0;
    if (!back) ::abort();
  }

  std::vector<Box>::iterator find(const BoxId& id) {
    return std::ranges::find_if(boxes_, [&](const Box& box) { return box.id.text == id.text; });
  }

  // A client that does not read loses replies; it never blocks the launcher.
  static void send(int client, const LauncherReply& reply) {
    (void)!::send(client, &reply, sizeof reply, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  static constexpr std::size_t kMaxClients = 8;
  std::string folder_;
  Text name_{"launcher.%d.sock", ::getpid()};
  bool once_;
  bool created_ = false;
  LauncherState state_;
  Outcome<void> ready_;  // a Failure is for the client that asks for a sandbox
  UniqueFd listener_;
  std::vector<UniqueFd> clients_;
  std::vector<Box> boxes_;
  std::vector<UniqueFd> zygotes_;  // that this launcher started; they outlive it
  std::unique_ptr<CreateRequest> request_ = std::make_unique<CreateRequest>();
};

}  // namespace

int run_launcher(LauncherOptions options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(0);  // every file gets the mode that is written beside its name
  return Launcher(std::move(options)).run();
}

}  // namespace atl::engine
