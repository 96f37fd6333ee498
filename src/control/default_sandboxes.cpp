#include "control/default_sandboxes.hpp"

#include <algorithm>
#include <utility>

namespace atl::control {

using async::Task;

namespace {

// Nobody renews it, so it lives long; an unused one does not.
constexpr std::uint64_t kLifetime = 24 * 3600;
constexpr std::uint64_t kIdle = 1800;

class Making {
 public:
  Making(bool& flag, async::Event& changed) : flag_(flag), changed_(changed) { flag_ = true; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() {
    flag_ = false;
    changed_.notify_all();
  }

 private:
  bool& flag_;
  async::Event& changed_;
};

std::string entry_name(const Caller& caller, const SandboxClient& client) {
  return caller.tenant + '\0' + client.name;
}

}  // namespace

bool DefaultSandboxes::lives(const Caller& caller, const SessionId& id) const {
  if (id.empty()) return false;
  Result<LiveSessionPtr> session = sessions_.find_live(caller, id);
  return session && !(*session)->ending() && !(*session)->ended();
}

CreateRequest DefaultSandboxes::request_for(const SandboxClient& client) const {
  CreateRequest request;
  bool keyed = client.lasting || shared_.mode == Mode::kShared;
  if (keyed) request.session_key = client.name;
  request.config.timeout_seconds = std::min(kLifetime, shared_.limits.max_timeout_seconds);
  request.config.idle_timeout_seconds = kIdle;
  request.labels["atoll.default-of"] = client.name;
  request.wait = kCreateWait;
  return request;
}

Task<Result<DefaultSandbox>> DefaultSandboxes::make(Caller caller, SandboxClient client,
                                                    EntryPtr entry) {
  Making making(entry->making, entry->changed);
  DefaultSandbox sandbox;
  if (!entry->id.empty()) sandbox.instead = std::exchange(entry->id, SessionId());
  ATOLL_CO_TRY(SessionMaker::Created created,
               co_await maker_.create(std::move(caller), request_for(client)));
  entry->id = created.value.id;
  sandbox.id = created.value.id;
  sandbox.made = created.state != model::MadeState::kFound;
  co_return sandbox;
}

Task<Result<DefaultSandbox>> DefaultSandboxes::get(Caller caller, SandboxClient client) {
  EntryPtr& place = entries_[entry_name(caller, client)];
  if (!place) place = std::make_shared<Entry>();
  EntryPtr entry = place;
  while (entry->making) co_await entry->changed.wait();
  if (lives(caller, entry->id)) co_return DefaultSandbox{.id = entry->id};
  forget_ended();
  co_return co_await make(std::move(caller), std::move(client), std::move(entry));
}

std::optional<SessionId> DefaultSandboxes::find(const Caller& caller,
                                                const SandboxClient& client) const {
  auto found = entries_.find(entry_name(caller, client));
  if (found != entries_.end() && lives(caller, found->second->id)) return found->second->id;
  bool keyed = client.lasting || shared_.mode == Mode::kShared;
  if (!keyed) return std::nullopt;
  std::optional<SessionId> id =
      sessions_.id_of_key(Sessions::key_name(caller.tenant, sessions_.shared_or(client.name)));
  return id && lives(caller, *id) ? id : std::nullopt;
}

Task<void> DefaultSandboxes::end(Caller caller, SandboxClient client) {
  auto found = entries_.find(entry_name(caller, client));
  if (found == entries_.end() || client.lasting) co_return;
  EntryPtr entry = found->second;
  while (entry->making) co_await entry->changed.wait();
  entries_.erase(entry_name(caller, client));
  bool others_use_it = shared_.mode == Mode::kShared;
  if (others_use_it || !lives(caller, entry->id)) co_return;
  (void)co_await ender_.remove(std::move(caller), entry->id);
}

// Clients that never said good-bye.
void DefaultSandboxes::forget_ended() {
  if (entries_.size() <= kMost) return;
  std::erase_if(entries_, [this](const auto& one) {
    const Entry& entry = *one.second;
    return !entry.making && !entry.changed.has_waiters() && !sessions_.contains(entry.id);
  });
}

}  // namespace atl::control
