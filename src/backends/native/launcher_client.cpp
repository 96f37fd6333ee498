#include "backends/native/launcher_client.hpp"

#include <algorithm>
#include <cstring>

#include "async/deadline.hpp"
#include "base/send_fds.hpp"

namespace atl::backends::native {
namespace {

using engine::LauncherOp;
using engine::LauncherReply;
using engine::LauncherStatus;
using engine::Step;

engine::BoxId box_id(const std::string& text) {
  engine::BoxId id;
  std::memcpy(id.text.data(), text.data(), std::min(text.size(), id.text.size() - 1));
  return id;
}

Error gone(int error) { return Error(Code::kNoAvailableRuntime, "the launcher is gone", error); }

}  // namespace

LauncherClient::LauncherClient(async::Executor executor, UniqueFd control, LauncherTimes times)
    : control_(std::move(executor), std::move(control), async::FdKind::kSocket), times_(times) {}

std::chrono::milliseconds LauncherClient::time_for(LauncherOp op) const {
  bool is_life = op == LauncherOp::kCreate || op == LauncherOp::kDestroy;
  return is_life ? times_.life : times_.other;
}

Result<void> LauncherClient::send(const void* bytes, std::size_t size,
                                  std::span<const int> descriptors) {
  if (send_fds(control_.fd().get(), bytes, size, descriptors) >= 0) return {};
  int error = errno;
  if (error == EAGAIN) return fail(Error(Code::kNoAvailableRuntime, "the launcher is busy", error));
  gone_ |= error == EPIPE || error == ECONNRESET;
  return fail(gone(error));
}

// The socket's buffer holds some eight requests; `bytes` stay where they are until this returns.
// Only the first in the queue waits for the socket. The kernel calls a Unix socket writable when
// three quarters of its buffer are free, but takes messages before that: without a queue, new
// requests would fill the buffer again and again while older ones wait.
async::Task<Result<void>> LauncherClient::send_in_turn(const void* bytes, std::size_t size,
                                                       std::vector<int> descriptors) {
  auto place = senders_.emplace(senders_.end());
  struct Leave {  // also when this task is cancelled
    LauncherClient& client;
    std::list<async::Event>::iterator at;
    ~Leave() {
      client.senders_.erase(at);
      if (!client.senders_.empty()) client.senders_.front().notify_all();
    }
  } leave{*this, place};
  while (place != senders_.begin()) co_await place->wait();
  for (;;) {
    Result<void> sent = send(bytes, size, descriptors);
    if (sent || sent.error().errno_value() != EAGAIN) co_return sent;
    ATOLL_CO_CHECK(co_await control_.writable());
  }
}

async::Task<Result<LauncherReply>> LauncherClient::create(engine::CreateRequest request,
                                                          std::vector<int> sources) {
  co_return co_await ask_while_busy(request.header, &request, sizeof request, std::move(sources));
}

async::Task<Result<LauncherReply>> LauncherClient::zygote(engine::ZygoteRequest request,
                                                          std::vector<int> given) {
  ATOLL_CO_TRY(auto replies, co_await ask(request.header, &request, sizeof request, given));
  co_return replies.back();
}

Result<void> LauncherClient::post_zygote(const engine::ZygoteRequest& request,
                                         std::span<const int> given) {
  return send(&request, sizeof request, given);
}

Result<void> LauncherClient::post(LauncherOp op, const SandboxId& id) {
  engine::RequestHeader request{.op = op, .id = box_id(id.str())};
  return send(&request, sizeof request, {});
}

async::Task<Result<LauncherReply>> LauncherClient::call(LauncherOp op, SandboxId id) {
  engine::RequestHeader request{.op = op, .id = box_id(id.str())};
  ATOLL_CO_TRY(auto replies, co_await ask(request, &request, sizeof request, {}));
  co_return replies.back();
}

// The kernel has no event for it on cgroup v1, so it is polled, by whoever wants to know.
async::Task<Result<LauncherReply>> LauncherClient::pause(SandboxId id) {
  constexpr std::chrono::milliseconds kOften{1};
  struct Undo {  // also when this task is cancelled
    LauncherClient& client;
    const SandboxId& id;
    bool wanted = true;
    ~Undo() {
      if (wanted) (void)client.post(LauncherOp::kThaw, id);
    }
  } undo{*this, id};
  async::Deadline deadline = async::deadline_in(times_.pause);
  for (;;) {
    Result<LauncherReply> reply = co_await call(LauncherOp::kFreeze, id);
    undo.wanted = !reply;
    if (reply || reply.error().errno_value() != EINPROGRESS) co_return reply;
    if (std::chrono::steady_clock::now() >= deadline) break;
    co_await async::sleep_for(kOften);
  }
  co_return fail(Error(Code::kResourceExhausted,
                       "the sandbox did not stand still within " +
                           std::to_string(times_.pause.count()) + " ms; try again later",
                       ETIMEDOUT));
}

async::Task<Result<LauncherReply>> LauncherClient::set_limits(SandboxId id, engine::Limits limits) {
  engine::LimitsRequest request{.limits = limits};
  request.header.id = box_id(id.str());
  co_return co_await ask_while_busy(request.header, &request, sizeof request, {});
}

// On cgroup v1 a memory limit is refused while more than that is in use, and what a tenant before
// had may be freed late.
async::Task<Result<LauncherReply>> LauncherClient::ask_while_busy(engine::RequestHeader header,
                                                                  const void* bytes,
                                                                  std::size_t size,
                                                                  std::vector<int> descriptors) {
  constexpr std::chrono::milliseconds kPatience{200}, kOften{2};
  async::Deadline deadline = async::deadline_in(kPatience);
  for (;;) {
    Result<Replies> replies = co_await ask(header, bytes, size, descriptors);
    if (replies) co_return replies->back();
    const Error& error = replies.error();
    bool busy = error.code() == Code::kLimitUnenforceable && error.errno_value() == EBUSY;
    if (!busy || std::chrono::steady_clock::now() >= deadline) co_return fail(error);
    co_await async::sleep_for(kOften);
  }
}

LauncherClient::Meeting& LauncherClient::meeting(const engine::ZygoteKey& key) {
  return meetings_[std::string(reinterpret_cast<const char*>(&key), sizeof key)];
}

async::Task<Result<std::vector<SandboxId>>> LauncherClient::list() {
  engine::RequestHeader request{.op = LauncherOp::kList};
  ATOLL_CO_TRY(auto replies, co_await ask(request, &request, sizeof request, {}));
  std::vector<SandboxId> ids;
  for (const LauncherReply& reply : replies) {
    if (reply.id.text[0] != '\0') ids.emplace_back(reply.id.text.data());
  }
  co_return ids;
}

async::Task<Result<LauncherClient::Replies>> LauncherClient::ask(engine::RequestHeader header,
                                                                 const void* bytes,
                                                                 std::size_t size,
                                                                 std::vector<int> descriptors) {
  if (gone_) co_return fail(gone(EPIPE));
  async::Deadline deadline = async::deadline_in(time_for(header.op));
  Result<Replies> replies =
      co_await async::with_deadline(exchange(header, bytes, size, std::move(descriptors)), deadline,
                                    Code::kNoAvailableRuntime, "");
  bool late = !replies && std::chrono::steady_clock::now() >= deadline;
  if (!late) co_return replies;
  co_return fail(Code::kNoAvailableRuntime, "the launcher did not answer within " +
                                                std::to_string(time_for(header.op).count()) +
                                                " ms; try again later");
}

async::Task<Result<LauncherClient::Replies>> LauncherClient::exchange(
    engine::RequestHeader header, const void* bytes, std::size_t size,
    std::vector<int> descriptors) {
  ATOLL_CO_CHECK(co_await send_in_turn(bytes, size, std::move(descriptors)));
  auto waiter = waiters_.emplace(waiters_.end(), header.op, header.id.text.data());
  // Also when this task is cancelled in the middle.
  struct Leave {
    LauncherClient& client;
    std::list<Waiter>::iterator at;
    ~Leave() {
      // The entries of a list carry no number: the rest of this one must not count as the next.
      at->abandoned = at->op == LauncherOp::kList && !at->done;
      if (!at->abandoned) client.waiters_.erase(at);
      client.hand_over();
    }
  } leave{*this, waiter};
  while (!waiter->done) {
    if (gone_) co_return fail(gone(EPIPE));
    if (reading_) {
      co_await waiter->wake.wait();
      continue;
    }
    ATOLL_CO_CHECK(co_await read_one());
  }
  if (waiter->replies.back().status == LauncherStatus::kFailed)
    co_return fail(launcher_error(waiter->replies.back()));
  co_return std::move(waiter->replies);
}

async::Task<void> LauncherClient::until_gone() {
  ++watchers_;
  struct Leave {
    LauncherClient& client;
    ~Leave() {
      --client.watchers_;
      client.hand_over();
    }
  } leave{*this};
  while (!gone_) {
    if (reading_) {
      co_await watch_.wait();
    } else {
      (void)co_await read_one();
    }
  }
}

// Somebody who waits must read from now on, unless somebody does. Not all are woken, for there may
// be thousands.
void LauncherClient::hand_over() {
  if (reading_) return;
  watch_.notify_all();
  if (watchers_ > 0 && !gone_) return;
  for (Waiter& waiter : waiters_) {
    if (waiter.done || waiter.abandoned) continue;
    waiter.wake.notify_all();
    if (!gone_) return;
  }
}

async::Task<Result<void>> LauncherClient::read_one() {
  reading_ = true;
  struct Done {  // also when this task was cancelled
    LauncherClient& client;
    ~Done() {
      client.reading_ = false;
      client.hand_over();
    }
  } done{*this};
  engine::ListReply message;  // the largest; every message begins with a LauncherReply
  std::span<char> into(reinterpret_cast<char*>(&message), sizeof message);
  Result<std::size_t> size = co_await control_.read_some(into);
  if (!size && size.error().code() == Code::kCancelled) co_return fail(std::move(size).error());
  bool is_list = size && *size == sizeof message && message.head.op == LauncherOp::kList &&
                 message.count <= message.ids.size();
  bool whole = is_list || (size && *size == sizeof(LauncherReply));
  if (!whole || message.head.magic != engine::kLauncherMagic) {
    gone_ = true;
    co_return fail(gone(size ? 0 : size.error().errno_value()));
  }
  for (std::uint32_t i = 0; is_list && i < message.count; ++i) {
    LauncherReply entry{
        .status = LauncherStatus::kListed, .op = LauncherOp::kList, .id = message.ids[i]};
    take(entry);
  }
  if (!is_list || message.head.status != LauncherStatus::kListed) take(message.head);
  co_return Result<void>{};
}

void LauncherClient::take(const LauncherReply& reply) {
  if (reply.status == LauncherStatus::kExited) return;  // the guest's connection tells this as well
  bool is_list = reply.op == LauncherOp::kList;
  bool is_wanted = false;
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    auto waiter = at++;
    if (waiter->done || waiter->op != reply.op) continue;
    if (!is_list && waiter->id != reply.id.text.data()) continue;
    is_wanted = true;
    waiter->replies.push_back(reply);
    waiter->done = reply.status != LauncherStatus::kListed;
    if (waiter->done) waiter->wake.notify_all();
    if (waiter->done && waiter->abandoned) waiters_.erase(waiter);
    if (reply.op != LauncherOp::kDestroy) break;  // one end answers all who asked for it
  }
  if (!is_wanted && reply.op == LauncherOp::kCreate && reply.status == LauncherStatus::kOk) {
    unwanted_.emplace_back(reply.id.text.data());
  }
  // A full socket is tried again at the next reply.
  std::erase_if(unwanted_,
                [&](const SandboxId& id) { return post(LauncherOp::kDestroy, id).has_value(); });
}

Error launcher_error(const LauncherReply& reply) {
  std::string what(engine::step_name(reply.step));
  int error = reply.errno_value;
  auto host = [&](const char* advice) {
    return Error(Code::kHostUnsupported,
                 "this host refuses sandboxes while " + what + "; " + advice, error);
  };
  switch (reply.step) {
    case Step::kBadRequest:
      return Error(Code::kInvalidArgument, "the launcher refused the request", error);
    case Step::kUnknownBox: return Error(Code::kNotFound, "no such sandbox", error);
    case Step::kZygote:
      if (error == EAGAIN) {
        return Error(Code::kResourceExhausted, "sixteen zygotes with sandboxes live on this host",
                     error);
      }
      return Error(Code::kUnsupported, "this host cannot hold a zygote; it takes root", error);
    case Step::kBusy:
      if (error == EAGAIN) break;
      return Error(Code::kConflict, "a sandbox of that name exists already", error);
    case Step::kMount:
      return Error(
          error == EACCES || error == EPERM ? Code::kForbidden : Code::kInvalidArgument,
          "a folder could not be mounted: the target must lie on a writable place or exist", error);
    case Step::kImage:
      if (error == ENOSPC || error == ENOMEM) break;
      return Error(Code::kHostUnsupported,
                   "the image's layers cannot be put together here: the store must lie on a file "
                   "system that overlayfs and idmapped mounts work on, such as ext4, xfs or btrfs",
                   error);
    case Step::kDisk:
      if (error == EOPNOTSUPP) {
        return Error(Code::kHostUnsupported,
                     "a disk cannot be formatted: mkfs.ext4 is missing; install e2fsprogs", error);
      }
      break;
    case Step::kRule:
      return Error(Code::kInvalidArgument, "a file system rule names a path that cannot be changed",
                   error);
    case Step::kUserNamespace:
      return host("allow user namespaces (user.max_user_namespaces), or run as root");
    case Step::kRunFolder:
      if (error == ENOSPC || error == EDQUOT) break;
      return Error(Code::kHostUnsupported,
                   "the run folder cannot be used: it must be yours and writable by nobody else",
                   error);
    case Step::kLimits:
      if (error == EOPNOTSUPP) {
        return Error(Code::kLimitUnenforceable,
                     "a disk of more than half of the memory needs root; ask for less disk or more "
                     "memory",
                     error);
      }
      return Error(Code::kLimitUnenforceable, "the kernel refused a limit", error);
    default: break;
  }
  if (error == ENOSPC || error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE) {
    return Error(Code::kResourceExhausted, "the host ran out of something while " + what, error);
  }
  return host("`atoll doctor` says what is missing");
}

}  // namespace atl::backends::native
