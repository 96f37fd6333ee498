#include "backends/native/launcher_client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "async/deadline.hpp"
#include "base/send_fds.hpp"

namespace atl::backends::native {
namespace {

using engine::LauncherOp;
using engine::LauncherReply;
using engine::LauncherStatus;

engine::BoxId box_id(const std::string& text) {
  engine::BoxId id;
  std::memcpy(id.text.data(), text.data(), std::min(text.size(), id.text.size() - 1));
  return id;
}

ssize_t receive_with_fds(int socket, std::span<char> into, std::vector<UniqueFd>& fds) {
  constexpr std::size_t kMost = 8;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMost)];
  iovec part{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  cmsghdr* at = size < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (at == nullptr || at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) return size;
  std::array<int, kMost> given{};
  std::size_t bytes = std::min(at->cmsg_len - CMSG_LEN(0), sizeof given);
  std::memcpy(given.data(), CMSG_DATA(at), bytes);
  for (std::size_t i = 0; i < bytes / sizeof(int); ++i) fds.emplace_back(given.at(i));
  return size;
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
  ATOLL_CO_TRY(Answer answer, co_await ask_while_busy(request.header, &request, sizeof request,
                                                      std::move(sources)));
  co_return answer.replies.back();
}

async::Task<Result<LauncherReply>> LauncherClient::zygote(engine::ZygoteRequest request,
                                                          std::vector<int> given) {
  ATOLL_CO_TRY(Answer answer, co_await ask(request.header, &request, sizeof request, given));
  co_return answer.replies.back();
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
  ATOLL_CO_TRY(Answer answer, co_await ask(request, &request, sizeof request, {}));
  co_return answer.replies.back();
}

async::Task<Result<std::vector<UniqueFd>>> LauncherClient::open_egress(SandboxId id) {
  constexpr std::size_t kSockets = 2;
  engine::RequestHeader request{.op = LauncherOp::kEgress, .id = box_id(id.str())};
  ATOLL_CO_TRY(Answer answer, co_await ask_while_busy(request, &request, sizeof request, {}));
  if (answer.fds.size() != kSockets) {
    co_return fail(Code::kInternal, "the launcher sent no sockets");
  }
  co_return std::move(answer.fds);
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
  ATOLL_CO_TRY(Answer answer,
               co_await ask_while_busy(request.header, &request, sizeof request, {}));
  co_return answer.replies.back();
}

// On cgroup v1 a memory limit is refused while more than that is in use, and what a tenant before
// had may be freed late.
async::Task<Result<LauncherClient::Answer>> LauncherClient::ask_while_busy(
    engine::RequestHeader header, const void* bytes, std::size_t size,
    std::vector<int> descriptors) {
  constexpr std::chrono::milliseconds kPatience{200}, kOften{2};
  async::Deadline deadline = async::deadline_in(kPatience);
  for (;;) {
    Result<Answer> answer = co_await ask(header, bytes, size, descriptors);
    if (answer) co_return answer;
    const Error& error = answer.error();
    bool busy = error.code() == Code::kLimitUnenforceable && error.errno_value() == EBUSY;
    busy |= header.op == LauncherOp::kEgress && error.errno_value() == EAGAIN;
    if (!busy || std::chrono::steady_clock::now() >= deadline) co_return fail(error);
    co_await async::sleep_for(kOften);
  }
}

LauncherClient::Meeting& LauncherClient::meeting(const engine::ZygoteKey& key) {
  return meetings_[std::string(reinterpret_cast<const char*>(&key), sizeof key)];
}

async::Task<Result<std::vector<SandboxId>>> LauncherClient::list() {
  engine::RequestHeader request{.op = LauncherOp::kList};
  ATOLL_CO_TRY(Answer answer, co_await ask(request, &request, sizeof request, {}));
  std::vector<SandboxId> ids;
  for (const LauncherReply& reply : answer.replies) {
    if (reply.id.text[0] != '\0') ids.emplace_back(reply.id.text.data());
  }
  co_return ids;
}

async::Task<Result<LauncherClient::Answer>> LauncherClient::ask(engine::RequestHeader header,
                                                                const void* bytes, std::size_t size,
                                                                std::vector<int> descriptors) {
  if (gone_) co_return fail(gone(EPIPE));
  async::Deadline deadline = async::deadline_in(time_for(header.op));
  Result<Answer> answer =
      co_await async::with_deadline(exchange(header, bytes, size, std::move(descriptors)), deadline,
                                    Code::kNoAvailableRuntime, "");
  bool late = !answer && std::chrono::steady_clock::now() >= deadline;
  if (!late) co_return answer;
  co_return fail(Code::kNoAvailableRuntime, "the launcher did not answer within " +
                                                std::to_string(time_for(header.op).count()) +
                                                " ms; try again later");
}

async::Task<Result<LauncherClient::Answer>> LauncherClient::exchange(engine::RequestHeader header,
                                                                     const void* bytes,
                                                                     std::size_t size,
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
  const LauncherReply& last = waiter->answer.replies.back();
  if (last.status == LauncherStatus::kFailed) co_return fail(launcher_error(last));
  co_return std::move(waiter->answer);
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
  std::vector<UniqueFd> fds;
  Result<std::size_t> size = co_await receive(into, fds);
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
    take(entry, {});
  }
  bool is_end = !is_list || message.head.status != LauncherStatus::kListed;
  if (is_end) take(message.head, std::move(fds));
  co_return Result<void>{};
}

// One message, and the descriptors that come with it. Of a launcher that ends, 0.
async::Task<Result<std::size_t>> LauncherClient::receive(std::span<char> into,
                                                         std::vector<UniqueFd>& fds) {
  for (;;) {
    ssize_t size = receive_with_fds(control_.fd().get(), into, fds);
    if (size >= 0) co_return static_cast<std::size_t>(size);
    if (errno != EAGAIN && errno != EINTR) co_return fail_errno("recvmsg");
    ATOLL_CO_CHECK(co_await control_.readable());
  }
}

void LauncherClient::take(const LauncherReply& reply, std::vector<UniqueFd> fds) {
  if (reply.status == LauncherStatus::kExited) return;  // the guest's connection tells this as well
  bool is_list = reply.op == LauncherOp::kList;
  bool is_wanted = false;
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    auto waiter = at++;
    if (waiter->done || waiter->op != reply.op) continue;
    if (!is_list && waiter->id != reply.id.text.data()) continue;
    is_wanted = true;
    waiter->answer.replies.push_back(reply);
    waiter->answer.fds = std::move(fds);
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

}  // namespace atl::backends::native
