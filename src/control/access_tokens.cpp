#include "control/access_tokens.hpp"

#include <utility>

#include "codec/sha256.hpp"

namespace atl::control {

using async::Task;

namespace {

Error wrong_token() {
  return Error(Code::kUnauthenticated, "the access token is not valid for this session");
}

}  // namespace

std::string AccessTokens::of(const model::Session& session) const {
  if (session.key_id.empty()) return codec::sha256_hex("atoll without keys " + session.id.str());
  return keys_.session_token({.tenant = session.tenant, .key_id = session.key_id}, session.id);
}

Task<Result<AccessTokens::Holder>> AccessTokens::check(SessionId id, std::string token) const {
  const model::Session* row = sessions_.row_of(id);
  if (row == nullptr) co_return fail(Code::kSessionNotFound, "there is no session " + id.str());
  std::string tenant = row->tenant;
  if (row->key_id.empty()) {
    if (token != of(*row)) co_return fail(wrong_token());
    co_return Holder{.session = std::move(id), .caller = {.tenant = std::move(tenant)}};
  }
  ATOLL_CO_TRY(Caller caller, co_await keys_.check_session_token(std::move(token), id));
  if (caller.tenant != tenant) co_return fail(wrong_token());
  co_return Holder{.session = std::move(id), .caller = std::move(caller)};
}

Task<Result<AccessTokens::Holder>> AccessTokens::find(
    std::function<bool(std::string_view token)> takes) const {
  for (const LiveSessionPtr& session : sessions_.all()) {
    std::string token = of(session->row);
    if (token.empty() || !takes(token)) continue;
    SessionId id = session->row.id;
    co_return co_await check(std::move(id), std::move(token));
  }
  co_return fail(Code::kUnauthenticated, "no session has a token that made this signature");
}

}  // namespace atl::control
