#include "egress/client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <optional>

#include "async/event.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "async/unix_socket.hpp"
#include "base/field_error.hpp"
#include "base/send_fds.hpp"
#include "codec/json.hpp"
#include "egress/cleanse.hpp"
#include "egress/frame.hpp"

namespace atl::egress {

using async::Task;

struct Client::State {
  State(async::Executor executor, UniqueFd socket, OnRefusals refusals)
      : stream(executor, std::move(socket), async::FdKind::kSocket),
        on_refusals(std::move(refusals)),
        tasks(executor) {}

  struct Turn;

  static Task<void> read_all(std::shared_ptr<State> state);
  void end();
  static Task<Result<Reply>> ask(std::shared_ptr<State> state, Request request,
                                 std::vector<UniqueFd> fds);
  static Task<Result<void>> done(std::shared_ptr<State> state, Request request,
                                 std::vector<UniqueFd> fds);

  async::Stream stream;
  OnRefusals on_refusals;
  std::map<std::uint64_t, std::optional<Reply>> waiting;
  std::uint64_t last_id = 0;
  bool writing = false, closed = false;
  async::Event changed;
  async::TaskGroup tasks;
};

namespace {

// A program of an older version that goes on does not know them.
std::optional<Pinned> unless_empty(Pinned pinned) {
  if (pinned.empty()) return std::nullopt;
  return pinned;
}

Error gone() { return {Code::kBackend, "the connection to atoll-egress has ended"}; }

Task<Result<std::string>> read_exactly(async::Stream* stream, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size;) {
    ATOLL_CO_TRY(std::size_t got, co_await stream->read_some(std::span(bytes).subspan(at)));
    if (got == 0) co_return fail(gone());
    at += got;
  }
  co_return bytes;
}

Task<Result<Reply>> read_reply(async::Stream* stream) {
  ATOLL_CO_TRY(std::string head, co_await read_exactly(stream, 4));
  std::size_t size = frame_size(head);
  if (size > kMaxFrame) co_return fail(Code::kProtocol, "a frame of atoll-egress is too long");
  ATOLL_CO_TRY(std::string frame, co_await read_exactly(stream, size));
  auto reply = codec::decode<Reply>(frame, {}, {.max_bytes = kMaxFrame, .max_depth = 16});
  if (!reply) co_return fail(reply.error().to_error());
  co_return std::move(*reply);
}

// The descriptors go with the first byte, so the rest is written behind it.
Task<Result<void>> write_frame(async::Stream* stream, std::string frame,
                               std::vector<UniqueFd> fds) {
  std::size_t sent = 0;
  if (!fds.empty()) {
    std::vector<int> numbers;
    for (const UniqueFd& fd : fds) numbers.push_back(fd.get());
    for (;;) {
      ssize_t done = send_fds(stream->fd().get(), frame.data(), 1, numbers);
      if (done == 1) break;
      if (errno != EAGAIN) co_return fail(gone());
      ATOLL_CO_CHECK(co_await stream->writable());
    }
    sent = 1;
  }
  std::string_view rest = std::string_view(frame).substr(sent);
  Result<void> written = co_await stream->write_all(rest);
  cleanse(frame);  // it may have held a secret
  co_return written;
}

}  // namespace

Task<void> Client::State::read_all(std::shared_ptr<State> state) {
  for (;;) {
    Result<Reply> reply = co_await read_reply(&state->stream);
    if (!reply) break;
    if (reply->refusals || reply->dropped) {
      state->on_refusals(reply->refusals.value_or(std::vector<Refusal>()),
                         reply->dropped.value_or(0));
    }
    if (!reply->id) continue;
    auto found = state->waiting.find(*reply->id);
    if (found != state->waiting.end()) found->second = std::move(*reply);
    state->changed.notify_all();
  }
  state->closed = true;
  state->changed.notify_all();
}

// One request. The caller may be cancelled at any point; a half-written frame ends the connection.
struct Client::State::Turn {
  Turn(std::shared_ptr<State> of, std::uint64_t number) : state(std::move(of)), id(number) {
    state->writing = true;
    state->waiting[id];
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!written) state->end();
    state->waiting.erase(id);
  }
  void wrote() {
    written = true;
    state->writing = false;
    state->changed.notify_all();
  }

  std::shared_ptr<State> state;
  std::uint64_t id;
  bool written = false;
};

void Client::State::end() {
  closed = true;
  ::shutdown(stream.fd().get(), SHUT_RDWR);  // also for a reader that does not wait right now
  stream.cancel();
  changed.notify_all();
}

Task<Result<Reply>> Client::State::ask(std::shared_ptr<State> state, Request request,
                                       std::vector<UniqueFd> fds) {
  request.id = ++state->last_id;
  std::string json = codec::encode(request);
  std::string frame = frame_of(json);
  cleanse(json);
  cleanse(request);
  if (frame.size() > kMaxFrame) co_return fail(Code::kTooLarge, "the policy is too large");
  while (state->writing && !state->closed) co_await state->changed.wait();
  if (state->closed) co_return fail(gone());
  Turn turn(state, request.id);
  Result<void> written = co_await write_frame(&state->stream, std::move(frame), std::move(fds));
  if (!written) co_return fail(gone());
  turn.wrote();
  while (!state->closed && !state->waiting[request.id]) co_await state->changed.wait();
  std::optional<Reply> reply = std::move(state->waiting[request.id]);
  if (!reply) co_return fail(gone());
  if (!reply->error) co_return std::move(*reply);
  Code code = code_from_number(reply->error->code);
  if (!reply->error->field) co_return fail(code, reply->error->message);
  co_return fail(field_error(code, *reply->error->field, reply->error->message));
}

Task<Result<void>> Client::State::done(std::shared_ptr<State> state, Request request,
                                       std::vector<UniqueFd> fds) {
  ATOLL_CO_CHECK(co_await ask(std::move(state), std::move(request), std::move(fds)));
  co_return Result<void>();
}

Client::Client(async::Executor executor, UniqueFd socket, OnRefusals on_refusals)
    : state_(std::make_shared<State>(executor, std::move(socket), std::move(on_refusals))) {
  state_->tasks.spawn(State::read_all(state_));
}

Client::~Client() {
  state_->on_refusals = [](const auto&, std::uint64_t) {};
  state_->stream.cancel();
}

Task<Result<std::unique_ptr<Client>>> Client::connect(async::Executor executor, std::string path,
                                                      OnRefusals on_refusals,
                                                      async::Deadline deadline) {
  ATOLL_CO_TRY(UniqueFd socket, co_await async::connect_unix(std::move(path), deadline));
  co_return std::make_unique<Client>(executor, std::move(socket), std::move(on_refusals));
}

Task<Result<std::vector<std::string>>> Client::hello() {
  Request request{.hello = Nothing()};
  ATOLL_CO_TRY(Reply reply, co_await State::ask(state_, std::move(request), {}));
  co_return std::move(reply.sandboxes).value_or(std::vector<std::string>());
}

Task<Result<void>> Client::attach(Attach attach, UniqueFd listener, UniqueFd dns) {
  Request request{.attach = std::move(attach)};
  std::vector<UniqueFd> fds;
  fds.push_back(std::move(listener));
  fds.push_back(std::move(dns));
  return State::done(state_, std::move(request), std::move(fds));
}

Task<Result<void>> Client::set_policy(std::string sandbox, model::NetworkPolicy policy,
                                      Secrets secrets, Pinned pinned) {
  Request request{.set_policy = SetPolicy{std::move(sandbox), std::move(policy), std::move(secrets),
                                          unless_empty(std::move(pinned))}};
  return State::done(state_, std::move(request), {});
}

Task<Result<void>> Client::detach(std::string sandbox) {
  Request request{.detach = OfSandbox{std::move(sandbox)}};
  return State::done(state_, std::move(request), {});
}

Task<Result<Figures>> Client::figures(std::string sandbox) {
  Request request{.figures = OfSandbox{std::move(sandbox)}};
  ATOLL_CO_TRY(Reply reply, co_await State::ask(state_, std::move(request), {}));
  co_return std::move(reply.figures).value_or(Figures());
}

Task<Result<void>> Client::apply(Settings settings) {
  Request request{.settings = std::move(settings)};
  return State::done(state_, std::move(request), {});
}

Task<Result<void>> Client::end() {
  Request request{.end = Nothing()};
  return State::done(state_, std::move(request), {});
}

void Client::close() { state_->end(); }

bool Client::is_closed() const { return state_->closed; }

Task<void> Client::wait_closed() {
  std::shared_ptr<State> state = state_;
  while (!state->closed) co_await state->changed.wait();
}

}  // namespace atl::egress
