#include "node/egress_networks.hpp"

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "async/deadline.hpp"
#include "base/clock.hpp"
#include "codec/base64.hpp"
#include "codec/names.hpp"
#include "egress/inside.hpp"
#include "node/egress_link.hpp"
#include "observe/log.hpp"

namespace atl::node {
namespace {

using async::Task;
using ClientPtr = EgressLink::ClientPtr;

// Also with a program, or a container, that must be started first.
constexpr std::chrono::seconds kApplyTime{30};
constexpr std::chrono::seconds kAnswerTime{2};  // of a program that runs
constexpr std::chrono::milliseconds kAgain{500};
constexpr std::size_t kRefusalsKept = 20;  // of each sandbox

// The network of one sandbox: what it is to be, and how far that has come.
struct Place {
  explicit Place(SandboxPtr of) : sandbox(std::move(of)) {}
  std::string id() const { return sandbox->id().str(); }

  SandboxPtr sandbox;
  NetworkGrant grant;
  std::uint64_t wanted = 0;    // which version of it
  std::uint64_t tried = 0;     // the last one that was tried, and
  std::optional<Error> error;  // why in vain
  bool attached = false;
  bool opening = false;  // its sandbox is asked for sockets, and not the relay
  bool syncing = false;
  bool released = false;
  NetworkFigures before;               // of programs that have died
  NetworkFigures last;                 // of the one that lives, when it was asked
  std::deque<NetworkRefusal> refused;  // the newest first
};
using PlacePtr = std::shared_ptr<Place>;

NetworkFigures figures_of(egress::Figures told) {
  NetworkFigures figures{.connections_total = told.opened,
                         .rx_bytes = told.rx_bytes,
                         .tx_bytes = told.tx_bytes,
                         .refused_total = told.refused,
                         .open = {}};
  for (egress::ConnectionFigures& one : told.connections) {
    figures.open.push_back({.host = std::move(one.name),
                            .port = one.port,
                            .rx_bytes = one.rx_bytes,
                            .tx_bytes = one.tx_bytes,
                            .since = std::chrono::sys_time<std::chrono::milliseconds>(
                                std::chrono::milliseconds(one.since_ms))});
  }
  return figures;
}

NetworkFigures sum_of(const NetworkFigures& before, const NetworkFigures& last) {
  NetworkFigures sum = last;
  sum.connections_total += before.connections_total;
  sum.rx_bytes += before.rx_bytes;
  sum.tx_bytes += before.tx_bytes;
  sum.refused_total += before.refused_total;
  return sum;
}

// What the names in the policy stand for, on its way to the program alone.
egress::Secrets secrets_of(const Place& place) {
  egress::Secrets secrets;
  for (const auto& [name, value] : place.grant.secrets) {
    secrets.values[name] = codec::base64(value);
  }
  for (const model::SecretUse& use : place.grant.policy.secrets) {
    secrets.placeholders[use.env] = egress::placeholder_of(place.id(), use.env);
  }
  return secrets;
}

// Of the relay or the launcher, and not of the policy or the sandbox.
bool may_pass(const Error& error) {
  return error.code() == Code::kNoAvailableRuntime || error.code() == Code::kBackend ||
         error.code() == Code::kExecTimeout || error.code() == Code::kResourceExhausted;
}

class EgressNetworks final : public Networks {
 public:
  explicit EgressNetworks(EgressOptions options)
      : executor_(options.executor),
        link_(
            std::move(options),
            [this](const auto& refusals, std::uint64_t dropped) { tell(refusals, dropped); },
            [this](const std::vector<std::string>& attached) { connected(attached); }),
        tasks_(executor_) {}

  void start(OnRefused on_refused) override {
    on_refused_ = std::move(on_refused);
    link_.start();
  }

  Task<Result<void>> apply(SandboxPtr sandbox, NetworkGrant grant) override {
    std::string id = sandbox->id().str();
    if (!places_.contains(id) && !listed_.contains(id) && !model::allows_anything(grant.policy)) {
      co_return Result<void>();  // it has no network, and needs none
    }
    PlacePtr& known = places_[id];
    if (!known) {
      known = std::make_shared<Place>(std::move(sandbox));
      known->attached = listed_.contains(id);
    }
    PlacePtr place = known;
    place->grant = std::move(grant);
    std::uint64_t version = ++place->wanted;
    begin_sync(place);
    while (place->tried < version && !place->released) co_await changed_.wait();
    if (place->released) co_return fail(Code::kConflict, "the sandbox ends");
    if (place->error) co_return fail(*place->error);
    co_return Result<void>();
  }

  Task<void> release(SandboxId id) override {
    auto node = places_.extract(id.str());
    bool listed = listed_.erase(id.str()) > 0;
    if (!node.empty()) {
      PlacePtr place = std::move(node.mapped());
      place->released = true;
      changed_.notify_all();
      while (place->syncing) co_await changed_.wait();
    }
    if (!node.empty() || listed) co_await detach(id.str());
  }

  Task<void> release_unknown() override {
    std::set<std::string> listed = std::exchange(listed_, {});
    for (const std::string& id : listed) {
      if (places_.contains(id)) continue;
      log::info("egress_detached", log::kv("sandbox_id", id));
      co_await detach(id);
    }
  }

  Task<Result<std::optional<NetworkFigures>>> figures(SandboxId id) override {
    auto found = places_.find(id.str());
    if (found == places_.end()) co_return std::optional(NetworkFigures());  // it has no network
    PlacePtr place = found->second;
    ClientPtr client = link_.now();
    if (client && place->attached) {
      auto told = co_await async::with_deadline(client->figures(place->id()),
                                                async::deadline_in(kAnswerTime), Code::kExecTimeout,
                                                "no answer");
      if (told && client == link_.now()) place->last = figures_of(std::move(*told));
      if (!told && told.error().code() == Code::kExecTimeout) link_.drop(client);
    }
    NetworkFigures figures = sum_of(place->before, place->last);
    figures.refused.assign(place->refused.begin(), place->refused.end());
    co_return std::optional(std::move(figures));
  }

  Task<void> stop(bool end) override {
    co_await tasks_.join();
    co_await link_.stop(end);
  }

 private:
  void tell(const std::vector<egress::Refusal>& refusals, std::uint64_t dropped) {
    if (dropped > 0) log::warn("refusals_dropped", log::kv("count", dropped));
    if (!on_refused_) return;
    auto now = SystemClock().now();
    for (const egress::Refusal& one : refusals) {
      auto found = places_.find(one.sandbox);
      if (found == places_.end()) continue;  // it has ended
      NetworkRefusal refusal{.host = one.name,
                             .port = one.port,
                             .reason = codec::enum_name(one.reason),
                             .detail = one.detail,
                             .at = now};
      std::deque<NetworkRefusal>& kept = found->second->refused;
      kept.push_front(refusal);
      if (kept.size() > kRefusalsKept) kept.pop_back();
      on_refused_(SandboxId(one.sandbox), refusal);
    }
  }

  // A new program has nothing; one that goes on has what it had, perhaps with an older policy.
  void connected(const std::vector<std::string>& attached) {
    listed_.clear();
    listed_.insert(attached.begin(), attached.end());
    for (auto& [id, place] : places_) {
      place->attached = listed_.contains(id);
      if (!place->attached) {
        place->before = sum_of(place->before, place->last);
        place->last = {};
      }
      place->before.open.clear();
      ++place->wanted;
      begin_sync(place);
    }
  }

  void begin_sync(const PlacePtr& place) {
    if (place->syncing || place->released) return;
    place->syncing = true;
    if (!tasks_.spawn(sync(place))) place->syncing = false;  // the server ends
  }

  // Until the last version is in force, however often that fails for a reason that may pass:
  // its caller gets the first failure, and may release it.
  Task<void> sync(PlacePtr place) {
    while (!place->released && place->tried < place->wanted) {
      std::uint64_t version = place->wanted;
      Result<void> done = co_await put_in_force(place);
      place->tried = version;
      place->error.reset();
      if (!done) place->error = done.error();
      changed_.notify_all();
      if (done || place->released || !may_pass(done.error())) continue;
      log::warn("network_not_applied", log::kv("sandbox_id", place->id()),
                log::kv("error", done.error().to_string()));
      (void)co_await async::with_deadline(released(place), async::deadline_in(kAgain),
                                          Code::kExecTimeout, "");
      if (place->wanted == version) ++place->wanted;
    }
    place->syncing = false;
    changed_.notify_all();
  }

  Task<Result<void>> released(PlacePtr place) {
    while (!place->released) co_await changed_.wait();
    co_return Result<void>();
  }

  Task<Result<void>> put_in_force(PlacePtr place) {
    async::Deadline deadline = async::deadline_in(kApplyTime);
    for (;;) {
      ATOLL_CO_TRY(ClientPtr client, co_await link_.get(deadline));
      Result<void> done =
          co_await async::with_deadline(send(client, place), deadline, Code::kExecTimeout,
                                        "atoll-egress does not answer in time");
      if (done) co_return done;
      if (std::exchange(place->opening, false)) co_return done;  // not the relay's fault
      bool late = done.error().code() == Code::kExecTimeout;
      if (late) link_.drop(client);
      // When the connection has ended in between there may be another one soon.
      if (late || !client->is_closed()) co_return done;
      link_.drop(client);
    }
  }

  Task<Result<void>> send(ClientPtr client, PlacePtr place) {
    if (place->attached) {
      Result<void> set = co_await client->set_policy(place->id(), place->grant.policy,
                                                     secrets_of(*place), place->grant.pinned);
      if (set || set.error().code() != Code::kNotFound) co_return set;
      place->attached = false;
    }
    place->opening = true;  // stays where that fails or is cancelled
    ATOLL_CO_TRY(sandbox::EgressSockets sockets, co_await place->sandbox->open_egress());
    place->opening = false;
    egress::Attach attach{.sandbox = place->id(),
                          .policy = place->grant.policy,
                          .secrets = secrets_of(*place),
                          .used_bytes = place->before.rx_bytes + place->before.tx_bytes};
    if (!place->grant.tenant.empty()) attach.tenant = place->grant.tenant;
    if (!place->grant.pinned.empty()) attach.pinned = place->grant.pinned;
    Result<void> attached = co_await client->attach(std::move(attach), std::move(sockets.listener),
                                                    std::move(sockets.dns));
    if (attached && client == link_.now()) place->attached = true;
    co_return attached;
  }

  Task<void> detach(std::string id) {
    ClientPtr client = link_.now();
    if (!client) co_return;  // its sockets are closed with the program
    auto done = co_await async::with_deadline(client->detach(std::move(id)),
                                              async::deadline_in(kAnswerTime), Code::kExecTimeout,
                                              "no answer");
    if (!done && done.error().code() == Code::kExecTimeout) link_.drop(client);
  }

  async::Executor executor_;
  OnRefused on_refused_;
  std::map<std::string, PlacePtr> places_;  // by sandbox
  std::set<std::string> listed_;            // what the program had when it was connected to
  async::Event changed_;
  EgressLink link_;
  async::TaskGroup tasks_;
};

}  // namespace

std::unique_ptr<Networks> egress_networks(EgressOptions options) {
  return std::make_unique<EgressNetworks>(std::move(options));
}

}  // namespace atl::node
