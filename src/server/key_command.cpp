#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include <boost/describe/enumerators.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/mp11/algorithm.hpp>

#include "async/run.hpp"
#include "cli/core/small_commands.hpp"
#include "codec/json.hpp"
#include "codec/sha256.hpp"
#include "control/keys.hpp"
#include "observe/log.hpp"
#include "server/serve.hpp"
#include "store/storage_key.hpp"
#include "store/store.hpp"

namespace atl::server {
namespace {

using async::Task;

std::string role_name(model::Role role) {
  return role == model::Role::kReadOnly ? "read-only" : codec::enum_name(role);
}

Result<model::Role> role_of(const std::string& name) {
  for (model::Role role : model::kRoles) {
    if (role_name(role) == name) return role;
  }
  return fail(Code::kInvalidArgument,
              "--role " + name + ": must be owner, admin, approver, user or read-only");
}

// "high=ask,critical=deny"
Result<model::RiskPolicy> policy_of(std::string_view text) {
  model::RiskPolicy policy;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    std::size_t equals = one.find('=');
    std::string_view level = one.substr(0, equals);
    std::string_view name = equals == one.npos ? "" : one.substr(equals + 1);
    std::optional<model::RiskAction>* place = level == "low"        ? &policy.low
                                              : level == "medium"   ? &policy.medium
                                              : level == "high"     ? &policy.high
                                              : level == "critical" ? &policy.critical
                                                                    : nullptr;
    for (model::RiskAction action :
         {model::RiskAction::kAllow, model::RiskAction::kAsk, model::RiskAction::kDeny}) {
      if (place != nullptr && codec::enum_name(action) == name) place->emplace(action);
    }
    if (place == nullptr || !place->has_value()) {
      return fail(Code::kInvalidArgument,
                  "--policy " + std::string(one) + ": write LEVEL=ACTION, as in high=ask");
    }
  }
  return policy;
}

Result<std::string> random_e2b_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::RAND_bytes(bytes.data(), bytes.size()) != 1) {
    return fail(Code::kInternal, "cannot read random bytes");
  }
  return "e2b_" + codec::hex(bytes);
}

boost::json::object shown(const model::Key& key) {
  return {{"id", key.id},
          {"tenant", key.tenant},
          {"role", role_name(key.role)},
          {"name", key.name},
          {"revoked", key.revoked_at.has_value()}};
}

Task<Result<std::string>> create(control::Keys* keys, cli::KeyOptions options) {
  control::Keys::Wish wish{.tenant = options.tenant, .name = options.name};
  if (!options.role.empty()) {
    ATOLL_CO_TRY(wish.role, role_of(options.role));
  }
  ATOLL_CO_TRY(wish.policy, policy_of(options.policy));
  if (!options.secret.empty()) wish.secret = options.secret;
  if (options.e2b && options.secret.empty()) {
    ATOLL_CO_TRY(wish.secret, random_e2b_secret());
  }
  ATOLL_CO_TRY(control::NewKey made, co_await keys->create({}, std::move(wish)));
  if (!options.json) co_return made.secret + "\n";
  boost::json::object all = shown(made.key);
  all["secret"] = made.secret;
  co_return codec::serialize(all) + "\n";
}

std::string line_of(const std::string& id, const std::string& role, const std::string& tenant,
                    const std::string& name) {
  char line[512];
  std::snprintf(line, sizeof line, "%-28s %-10s %-16s %s\n", id.c_str(), role.c_str(),
                tenant.c_str(), name.c_str());
  return line;
}

std::string list(const control::Keys& keys, bool json) {
  boost::json::array all;
  std::string text = line_of("ID", "ROLE", "TENANT", "NAME");
  for (const model::Key& key : keys.list({})) {
    all.push_back(shown(key));
    text += line_of(key.id, role_name(key.role), key.tenant,
                    key.name + (key.revoked_at ? " (revoked)" : ""));
  }
  return json ? codec::serialize(all) + "\n" : text;
}

Task<Result<std::string>> work(async::Executor executor, cli::KeyOptions options, Place place) {
  ATOLL_CO_TRY(std::unique_ptr<store::Store> store,
               co_await store::open_store({.executor = executor,
                                           .url = options.store,
                                           .data_folder = place.data_folder,
                                           .beside_server = true}));
  SystemClock clock;
  control::Keys keys(*store, clock);
  Result<void> loaded = co_await keys.load();
  Result<std::string> text = std::string();
  const std::string& verb = options.words[0];
  if (!loaded) {
    text = fail(loaded.error());
  } else if (verb == "create") {
    text = co_await create(&keys, options);
  } else if (verb == "ls") {
    text = list(keys, options.json);
  } else {
    Result<void> revoked = co_await keys.revoke({}, options.words[1]);
    if (!revoked) text = fail(revoked.error());
  }
  co_await store->close();
  co_return text;
}

// A server has the old key in memory, so none may run.
Task<Result<std::string>> rotate_storage(async::Executor executor, cli::KeyOptions options,
                                         Place place) {
  if (!store::storage_key_given().empty()) {
    co_return fail(Code::kInvalidArgument,
                   "the storage key is that of ATOLL_STORAGE_KEY: set it to NEW,OLD and start the "
                   "server, which encrypts everything with NEW; then remove OLD");
  }
  ATOLL_CO_TRY(std::unique_ptr<store::Store> store,
               co_await store::open_store({.executor = executor,
                                           .url = options.store,
                                           .data_folder = place.data_folder,
                                           .renew_storage_key = true}));
  co_await store->close();
  co_return std::string("everything is encrypted with a new storage key\n");
}

}  // namespace

int key_command(const cli::KeyOptions& options, const Place& place) {
  std::size_t words = options.words.size();
  bool known = words > 0 && ((options.words[0] == "create" && words == 1) ||
                             (options.words[0] == "ls" && words == 1) ||
                             (options.words[0] == "rotate-storage" && words == 1) ||
                             (options.words[0] == "revoke" && words == 2));
  if (!known) {
    return cli::own_failure(
        Error(Code::kInvalidArgument,
              "say atoll key create, atoll key ls, atoll key revoke ID or atoll key "
              "rotate-storage"));
  }
  log::set_level(log::Level::kWarn);  // a person reads this
  Result<std::string> text = async::run_to_end<Result<std::string>>([&](async::Executor executor) {
    bool rotates = options.words[0] == "rotate-storage";
    return rotates ? rotate_storage(executor, options, place) : work(executor, options, place);
  });
  return text ? cli::show(*text) : cli::own_failure(text.error());
}

}  // namespace atl::server
