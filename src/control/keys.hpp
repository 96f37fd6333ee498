// API keys. A secret is shown once, when it is made; the store has its hash. Checked in constant
// time; known keys are kept in memory, so that a request costs no query.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/idempotency.hpp"
#include "model/key.hpp"
#include "store/store.hpp"

namespace atl::control {

// 1 to 100 bytes of UTF-8 without control characters.
bool is_tenant_name(std::string_view name);

struct NewKey {
  model::Key key;
  std::string secret;     // what the client sends; empty when an earlier request was told it
  bool replayed = false;  // an earlier request made it
};

class Keys {
 public:
  // A request that a key was shown for. While it lives, `cut` is called if the key is revoked:
  // terminals and streams outlive the check of their beginning.
  class Use {
   public:
    Use(Keys& keys, std::string key_id, std::function<void()> cut);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();

   private:
    Keys& keys_;
    std::multimap<std::string, std::function<void()>>::iterator place_;
  };

  Keys(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  async::Task<Result<void>> load();
  // For ever: hears of keys that another process revoked, while requests are open.
  async::Task<void> watch();
  struct Wish {
    std::optional<std::string> tenant;  // none: the caller's
    std::optional<model::Role> role;    // none: owner for the first key of a server, else user
    std::string name;
    std::optional<std::string> secret;  // none: a random one
    model::RiskPolicy policy;
  };
  // Recorded in the tenant that the key is of. Only an owner may make an owner's key or one of
  // another tenant: kForbidden.
  async::Task<Result<NewKey>> create(Caller caller, Wish wish, Once once = {});
  // kNotFound, also for a key of another tenant; kForbidden for an owner's, if an admin asks.
  async::Task<Result<void>> revoke(Caller caller, std::string id);
  // Those that the caller manages, the oldest first.
  std::vector<model::Key> list(const Caller& caller) const;
  std::set<std::string> tenants() const;  // that have, or had, a key
  // kUnauthenticated for anything that is not a key of this server. A key made by another process
  // (`atoll key create` beside a running server) is found in the store.
  async::Task<Result<Caller>> check(std::string secret);
  // The same for a caller that this key admitted before.
  async::Task<Result<Caller>> check_id(std::string id);
  // Permission for one session, instead of the key: for clients that must not carry the key to what
  // they take for the sandbox itself. It dies with the key and outlives the server. Empty where
  // nobody had to show a key.
  std::string session_token(const Caller& caller, const SessionId& session) const;
  // The caller that it was made for, with the role that its key has now; kUnauthenticated.
  async::Task<Result<Caller>> check_session_token(std::string token, SessionId session);
  // There is such a key, and it is not revoked.
  bool is_valid(const std::string& id) const;
  // A key of this server, revoked ones included: such headers are not forwarded. In memory.
  bool knows(std::string_view secret) const;

 private:
  void cut_uses(const std::string& id);

  store::Store& store_;
  const Clock& clock_;
  std::map<std::string, model::Key> by_hash_;
  std::multimap<std::string, std::function<void()>> uses_;  // by key id
  std::chrono::steady_clock::time_point loaded_{};
};

}  // namespace atl::control
