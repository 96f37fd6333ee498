#include "control/keys.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <utility>

#include "async/deadline.hpp"
#include "base/ids.hpp"
#include "base/utf8.hpp"
#include "codec/sha256.hpp"
#include "control/audit.hpp"

namespace atl::control {
namespace {

using async::Task;

constexpr std::chrono::seconds kFresh{1};
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestSecret = 512;

// A secret is random, so a fast hash is enough; comparing hashes says nothing about the secret.
std::string hash_of(std::string_view secret) { return codec::sha256_hex(secret); }

Result<std::string> random_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::RAND_bytes(bytes.data(), bytes.size()) != 1) {
    return fail(Code::kInternal, "cannot read random bytes");
  }
  return "atl_" + codec::hex(bytes);
}

store::Change recorded(Caller caller, model::AuditAction action, const model::Key& key) {
  caller.tenant = key.tenant;
  return store::AddAudit{audit_row(caller, {.action = action, .detail = key.id})};
}

Result<void> check_rights(const Caller& caller, const model::Key& wanted) {
  if (caller.is_owner()) return {};
  if (!caller.is_admin()) return fail(Code::kForbidden, "only an admin may manage keys");
  if (wanted.role == model::Role::kOwner) {
    return fail(Code::kForbidden, "only an owner may manage the key of an owner");
  }
  if (wanted.tenant != caller.tenant) {
    return fail(Code::kForbidden, "an admin manages the keys of its own tenant only");
  }
  return {};
}

}  // namespace

bool is_tenant_name(std::string_view name) {
  auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !name.empty() && name.size() <= 100 && is_utf8(name) &&
         std::ranges::none_of(name, is_control);
}

Task<Result<void>> Keys::load() {
  ATOLL_CO_TRY(std::vector<model::Key> keys, co_await store_.keys());
  by_hash_.clear();
  for (model::Key& key : keys) {
    if (key.revoked_at) cut_uses(key.id);
    std::string hash = key.secret_hash;
    by_hash_[hash] = std::move(key);
  }
  loaded_ = clock_.steady();
  co_return Result<void>();
}

Keys::Use::Use(Keys& keys, std::string key_id, std::function<void()> cut)
    : keys_(keys), place_(keys.uses_.emplace(std::move(key_id), std::move(cut))) {}

Keys::Use::~Use() { keys_.uses_.erase(place_); }

void Keys::cut_uses(const std::string& id) {
  auto [begin, end] = uses_.equal_range(id);
  for (auto use = begin; use != end; ++use) use->second();
}

Task<void> Keys::watch() {
  for (;;) {
    co_await async::sleep_for(kFresh);
    if (!uses_.empty()) (void)co_await load();  // a store that is away is asked again
  }
}

Task<Result<NewKey>> Keys::create(Caller caller, Wish wish, Once once) {
  if (once.earlier()) {
    Result<model::Key> key = co_await store_.key(once.earlier()->id);
    if (!key && key.error().code() == Code::kNotFound) co_return fail(gone_since(*once.earlier()));
    if (!key) co_return fail(key.error());
    co_return NewKey{.key = std::move(*key), .replayed = true};
  }
  std::string tenant = std::move(wish.tenant).value_or(caller.tenant);
  if (!is_tenant_name(tenant) || wish.name.size() > 200) {
    co_return fail(Code::kInvalidValue,
                   "a tenant has 1 to 100 bytes without control characters, a name at most 200");
  }
  ATOLL_CO_CHECK(co_await load());
  bool is_first = std::ranges::all_of(
      by_hash_, [](const auto& one) { return one.second.revoked_at.has_value(); });
  NewKey made;
  if (wish.secret) {
    made.secret = std::move(*wish.secret);
  } else {
    ATOLL_CO_TRY(made.secret, random_secret());
  }
  if (made.secret.size() < kShortestSecret || made.secret.size() > kLongestSecret) {
    co_return fail(Code::kInvalidValue, "a secret has 16 to 512 characters");
  }
  made.key = {.id = make_sortable_id(),
              .tenant = std::move(tenant),
              .role = wish.role.value_or(is_first && caller.is_owner() ? model::Role::kOwner
                                                                       : model::Role::kUser),
              .name = std::move(wish.name),
              .secret_hash = hash_of(made.secret),
              .created_at = clock_.now(),
              .policy = wish.policy};
  ATOLL_CO_CHECK(check_rights(caller, made.key));
  auto same = by_hash_.find(made.key.secret_hash);
  if (same != by_hash_.end() && !same->second.revoked_at) {
    co_return fail(Code::kAlreadyExists, "there is a key with this secret already");
  }
  std::vector<store::Change> changes;
  once.add_to(changes, {.kind = model::MadeKind::kKey, .id = made.key.id});
  changes.push_back(store::PutKey{made.key});
  changes.push_back(recorded(std::move(caller), model::AuditAction::kKeyCreated, made.key));
  ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  by_hash_[made.key.secret_hash] = made.key;
  co_return made;
}

Task<Result<void>> Keys::revoke(Caller caller, std::string id) {
  ATOLL_CO_CHECK(co_await load());
  for (auto& [hash, key] : by_hash_) {
    if (key.id != id) continue;
    if (!caller.is_owner() && key.tenant != caller.tenant) break;
    ATOLL_CO_CHECK(check_rights(caller, key));
    if (key.revoked_at) co_return Result<void>();
    model::Key revoked = key;
    revoked.revoked_at = clock_.now();
    std::vector<store::Change> changes;
    changes.push_back(store::PutKey{revoked});
    changes.push_back(recorded(std::move(caller), model::AuditAction::kKeyRevoked, revoked));
    ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
    co_return co_await load();
  }
  co_return fail(Code::kNotFound, "there is no key " + id);
}

std::vector<model::Key> Keys::list(const Caller& caller) const {
  bool every = caller.is_owner() && !caller.chose_tenant;
  std::vector<model::Key> all;
  for (const auto& [hash, key] : by_hash_) {
    if (every || key.tenant == caller.tenant) all.push_back(key);
  }
  std::ranges::sort(all, {}, &model::Key::id);  // the oldest first
  return all;
}

std::set<std::string> Keys::tenants() const {
  std::set<std::string> all;
  for (const auto& [hash, key] : by_hash_) all.insert(key.tenant);
  return all;
}

Task<Result<Caller>> Keys::check(std::string secret) {
  if (secret.size() <= kLongestSecret) {
    std::string hash = hash_of(secret);
    // Keys are made and revoked beside a running server: a new one is looked for at once (those who
    // guess cause no storm of queries), and a revoked one is heard of within a second.
    auto age = clock_.steady() - loaded_;
    if (!by_hash_.contains(hash) && age < kLookAgain) {
      co_await async::sleep_for(kLookAgain - age);  // it may be younger than the last look
      age = clock_.steady() - loaded_;
    }
    if (age > kFresh || (!by_hash_.contains(hash) && age >= kLookAgain)) {
      loaded_ = clock_.steady();
      (void)co_await load();
    }
    auto found = by_hash_.find(hash);
    if (found != by_hash_.end() && !found->second.revoked_at) {
      const model::Key& key = found->second;
      co_return Caller{
          .tenant = key.tenant, .key_id = key.id, .role = key.role, .policy = key.policy};
    }
  }
  co_return fail(Code::kUnauthenticated, "invalid API key");
}

Task<Result<Caller>> Keys::check_id(std::string id) {
  if (clock_.steady() - loaded_ > kFresh) {
    loaded_ = clock_.steady();
    (void)co_await load();
  }
  for (const auto& [hash, key] : by_hash_) {
    if (key.id != id || key.revoked_at) continue;
    co_return Caller{
        .tenant = key.tenant, .key_id = key.id, .role = key.role, .policy = key.policy};
  }
  co_return fail(Code::kUnauthenticated, "invalid API key");
}

bool Keys::is_valid(const std::string& id) const {
  return std::ranges::any_of(
      by_hash_, [&](const auto& one) { return one.second.id == id && !one.second.revoked_at; });
}

bool Keys::knows(std::string_view secret) const {
  return secret.size() <= kLongestSecret && by_hash_.contains(hash_of(secret));
}

}  // namespace atl::control
