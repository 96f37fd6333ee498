#include "node/egress_link.hpp"

#include <algorithm>
#include <utility>

#include "async/deadline.hpp"
#include "async/unix_socket.hpp"
#include "observe/log.hpp"

namespace atl::node {

using async::Task;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kConnectTime{2}, kGreetTime{5}, kEndTime{2};
constexpr std::chrono::milliseconds kFirstPause{20}, kLongestPause{1000};

Task<Result<void>> happens(async::Event* event) {
  co_await event->wait();
  co_return Result<void>();
}

}  // namespace

EgressLink::EgressLink(EgressOptions options, egress::Client::OnRefusals on_refusals,
                       OnConnected on_connected)
    : options_(std::move(options)),
      on_refusals_(std::move(on_refusals)),
      on_connected_(std::move(on_connected)),
      tasks_(options_.executor) {}

void EgressLink::start() { tasks_.spawn(run()); }

Task<Result<EgressLink::ClientPtr>> EgressLink::get(async::Deadline deadline) {
  if (!wanted_) {
    wanted_ = true;
    changed_.notify_all();
  }
  while (!client_) {
    if (std::chrono::steady_clock::now() >= deadline) {
      co_return fail(Code::kNoAvailableRuntime,
                     "atoll-egress, which connects sandboxes to the network, does not answer" +
                         (why_.empty() ? "" : ": " + why_));
    }
    (void)co_await async::with_deadline(happens(&changed_), deadline, Code::kExecTimeout, "");
  }
  co_return client_;
}

void EgressLink::drop(const ClientPtr& client) {
  if (client_ == client) client_.reset();
  client->close();
}

Task<Result<EgressLink::ClientPtr>> EgressLink::connect() {
  async::Deadline deadline = async::deadline_in(kConnectTime);
  Result<UniqueFd> socket = co_await async::connect_unix(options_.socket, deadline);
  if (!socket && async::is_nobody_there(socket.error()) && wanted_) {
    ATOLL_CO_TRY(UniqueFd listener, egress::listen_at(options_.socket));
    ATOLL_CO_CHECK(options_.starter.start(std::move(listener)));
    socket = co_await async::connect_unix(options_.socket, deadline);
  }
  if (!socket) co_return fail(socket.error());
  co_return std::make_shared<egress::Client>(options_.executor, std::move(*socket), on_refusals_);
}

Task<Result<std::vector<std::string>>> EgressLink::greet(ClientPtr client) {
  ATOLL_CO_TRY(std::vector<std::string> attached, co_await client->hello());
  ATOLL_CO_CHECK(co_await client->apply(options_.settings));
  co_return attached;
}

Task<Result<void>> EgressLink::begin() {
  ATOLL_CO_TRY(ClientPtr client, co_await connect());
  auto attached = co_await async::with_deadline(greet(client), async::deadline_in(kGreetTime),
                                                Code::kExecTimeout, "no answer to its greeting");
  if (!attached) {
    client->close();
    co_return fail(attached.error());
  }
  client_ = std::move(client);
  if (std::uint64_t failures = streak_.end(); failures > 0) {
    log::info("egress_connected", log::kv("failures", failures));
  }
  on_connected_(*attached);
  changed_.notify_all();
  co_return Result<void>();
}

Task<void> EgressLink::run() {
  bool looked = false;  // for one that the last server left
  std::chrono::milliseconds pause = kFirstPause;
  for (;;) {
    while (looked && !wanted_) co_await changed_.wait();
    looked = true;
    Result<void> begun = co_await begin();
    if (begun) {
      pause = kFirstPause;
      ClientPtr client = client_;
      co_await client->wait_closed();
      if (client_ == client) client_.reset();
      log::warn("egress_lost", log::kv("wanted", wanted_));
      continue;
    }
    if (!wanted_) continue;
    why_ = begun.error().message();
    if (streak_.failed(std::chrono::steady_clock::now())) {
      log::error("egress_unreachable", log::kv("failures", streak_.count()),
                 log::kv("error", begun.error().to_string()));
    }
    co_await async::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

Task<void> EgressLink::stop(bool end) {
  co_await tasks_.join();
  ClientPtr client = std::exchange(client_, nullptr);
  if (!client) co_return;
  if (end) {
    (void)co_await async::with_deadline(client->end(), async::deadline_in(kEndTime),
                                        Code::kExecTimeout, "");
  }
  client->close();
}

}  // namespace atl::node
