#include "http/server.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <utility>

#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "http/connection.hpp"
#include "http/head.hpp"
#include "http/listener.hpp"
#include "http/problem.hpp"
#include "http/server_core.hpp"
#include "observe/log.hpp"

namespace atl::http {

using namespace std::chrono_literals;

struct Server::State {
  explicit State(std::shared_ptr<ServerCore> shared)
      : core(std::move(shared)),
        acceptors(core->executor),
        connections(core->executor),
        helpers(core->executor) {}

  std::shared_ptr<ServerCore> core;
  std::optional<TlsContext> tls;
  std::list<Listener> listeners;
  std::vector<std::string> addresses;
  std::uint16_t port = 0;
  UniqueFd spare;  // given up when no descriptor is left, to tell one more client so
  std::list<Connection*> open;
  async::TaskGroup acceptors, connections, helpers;
};

namespace {

using State = Server::State;

void open_spare(State& state) { state.spare.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Best effort: the socket's buffer is empty, so this fits.
void refuse_connection(const UniqueFd& fd) {
  static const std::string kAnswer = [] {
    Response response = problem(503, "resource_exhausted", "the server has too many connections");
    std::string bytes;
    append_head(bytes, {.status = response.status,
                        .headers = &response.headers,
                        .length = response.body.size(),
                        .persistence = Persistence::kClose});
    return bytes + response.body;
  }();
  static_cast<void>(::send(fd.get(), kAnswer.data(), kAnswer.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
  ::shutdown(fd.get(), SHUT_WR);
  // Unread bytes would turn the close into a reset.
  std::array<char, 4096> waste;
  while (::recv(fd.get(), waste.data(), waste.size(), MSG_DONTWAIT) > 0) {
  }
}

UniqueFd accept_one(const UniqueFd& listener) {
  int fd = -1;
  do {
    fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
  return UniqueFd(fd);
}

Task<void> run_connection(std::shared_ptr<State> state, std::shared_ptr<Connection> connection) {
  struct Registered {
    State* state;
    std::list<Connection*>::iterator place;
    ~Registered() { state->open.erase(place); }
  };
  Registered registered{state.get(), state->open.insert(state->open.end(), connection.get())};
  co_await Connection::run(std::move(connection));
}

void take(const std::shared_ptr<State>& state, UniqueFd fd, bool is_tcp) {
  if (state->connections.size() >= state->core->options.limits.connections) {
    refuse_connection(fd);
    return;
  }
  if (is_tcp) set_nodelay(fd);
  std::optional<TlsContext> tls = is_tcp ? state->tls : std::nullopt;
  auto connection = std::make_shared<Connection>(state->core, std::move(fd), std::move(tls));
  state->connections.spawn(run_connection(state, std::move(connection)));
}

Task<void> accept_all(std::shared_ptr<State> state, async::Stream listener, bool is_tcp) {
  for (;;) {
    UniqueFd fd = accept_one(listener.fd());
    if (fd) {
      take(state, std::move(fd), is_tcp);
      continue;
    }
    int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK) {
      Result<void> ready = co_await listener.readable();
      if (!ready) co_return;
      continue;
    }
    if ((error == EMFILE || error == ENFILE) && state->spare) {
      state->spare.reset();
      if (UniqueFd last = accept_one(listener.fd())) refuse_connection(last);
    }
    log::warn("http_accept_failed", log::kv("error", std::strerror(error)));
    co_await async::sleep_for(100ms);
    if (!state->spare) open_spare(*state);
  }
}

std::chrono::milliseconds watch_period(const ServerLimits& limits) {
  auto least = std::min({limits.header_time, limits.idle_time, limits.body_time});
  return std::clamp<std::chrono::milliseconds>(least / 8, 5ms, 500ms);
}

Task<Result<void>> until_idle(std::shared_ptr<State> state) {
  co_await state->connections.wait_idle();
  co_return Result<void>();
}

}  // namespace

Server::Server(async::Executor executor, Handler handler, ServerOptions options)
    : state_(std::make_shared<State>(std::make_shared<ServerCore>(
          std::move(executor), std::move(handler), std::move(options)))) {}

Server::~Server() {
  state_->acceptors.close();
  state_->connections.close();
  state_->helpers.close();
}

Task<Result<void>> Server::start() {
  std::shared_ptr<State> state = state_;
  ServerCore& core = *state->core;
  if (core.options.tls) {
    ATOLL_CO_TRY(state->tls,
                 TlsContext::server(core.options.tls->certificate, core.options.tls->key));
  }
  ATOLL_CO_TRY(core.gone, GoneWatch::make(core.executor));
  std::list<Listener> listeners;
  for (const std::string& address : core.options.listen) {
    ATOLL_CO_TRY(Listener listener, Listener::open(address));
    listeners.push_back(std::move(listener));
  }
  open_spare(*state);
  state->helpers.spawn(Watchdog::run(core.watchdog, watch_period(core.options.limits)));
  state->helpers.spawn(GoneWatch::run(core.gone));
  for (Listener& listener : listeners) {
    state->addresses.push_back(listener.address);
    if (listener.is_tcp && state->port == 0) state->port = listener.port;
    async::Stream stream(core.executor, std::move(listener.fd), async::FdKind::kSocket);
    state->acceptors.spawn(accept_all(state, std::move(stream), listener.is_tcp));
  }
  state->listeners = std::move(listeners);
  co_return Result<void>();
}

std::vector<std::string> Server::addresses() const { return state_->addresses; }
std::uint16_t Server::port() const { return state_->port; }
std::size_t Server::connections() const { return state_->connections.size(); }

Task<void> Server::drain(async::Deadline deadline) {
  std::shared_ptr<State> state = state_;
  state->core->draining = true;
  co_await state->acceptors.join();
  state->listeners.clear();
  for (Connection* connection : state->open) connection->stop_if_idle();
  Result<void> ended = co_await async::with_deadline<void>(until_idle(state), deadline,
                                                           Code::kTransferTimeout, "drain");
  if (!ended) log::warn("http_drain_cut", log::kv("connections", state->connections.size()));
  co_await state->connections.join();
  co_await state->helpers.join();
}

}  // namespace atl::http
