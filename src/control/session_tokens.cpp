// Permission for one session, made from a key: KEY_ID.TENANT.SIGNATURE, the tenant in hexadecimal
// digits. The signature is an HMAC under the hash of the key, which nobody but the store has.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "codec/sha256.hpp"
#include "control/keys.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::size_t kLongest = 512;

std::string hex_of(std::string_view text) {
  return codec::hex(std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size()));
}

// Each field with its length: no two tokens have the same text.
std::string signature_of(const model::Key& key, std::string_view tenant, std::string_view session) {
  std::string text = "atoll session";
  for (std::string_view field : {std::string_view(key.id), tenant, session}) {
    text += " " + std::to_string(field.size()) + ":";
    text += field;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  ::HMAC(::EVP_sha256(), key.secret_hash.data(), static_cast<int>(key.secret_hash.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &size);
  return codec::hex(std::span(sum).first(size));
}

const model::Key* key_with(const std::map<std::string, model::Key>& keys, std::string_view id) {
  auto found = std::ranges::find_if(keys, [&](const auto& one) { return one.second.id == id; });
  return found == keys.end() ? nullptr : &found->second;
}

bool same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace

std::string Keys::session_token(const Caller& caller, const SessionId& session) const {
  const model::Key* key = key_with(by_hash_, caller.key_id);
  if (key == nullptr) return {};
  return key->id + "." + hex_of(caller.tenant) + "." +
         signature_of(*key, caller.tenant, session.str());
}

Task<Result<Caller>> Keys::check_session_token(std::string token, SessionId session) {
  Error invalid(Code::kUnauthenticated, "this token is not valid for this session");
  std::size_t first = token.find('.');
  std::size_t last = token.rfind('.');
  if (token.size() > kLongest || first == token.npos || first == last) co_return fail(invalid);
  Result<Caller> caller = co_await check_id(token.substr(0, first));
  if (!caller) co_return fail(invalid);
  const model::Key* key = key_with(by_hash_, caller->key_id);
  if (key == nullptr) co_return fail(invalid);
  // Only an owner acts for other tenants, and so does what it handed out.
  std::string_view tenant = std::string_view(token).substr(first + 1, last - first - 1);
  if (tenant != hex_of(caller->tenant)) {
    auto known = tenants();
    auto named =
        std::ranges::find_if(known, [&](const auto& one) { return hex_of(one) == tenant; });
    if (!caller->is_owner() || named == known.end()) co_return fail(invalid);
    caller->tenant = *named;
    caller->chose_tenant = true;
  }
  std::string right = signature_of(*key, caller->tenant, session.str());
  if (!same(right, std::string_view(token).substr(last + 1))) co_return fail(invalid);
  co_return caller;
}

}  // namespace atl::control
