// The token of each session: a request with it may use that session and nothing else. It is that of
// the key that made the session (Keys::session_token), so that links signed with it can be checked.
// On the I/O thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/keys.hpp"
#include "control/sessions.hpp"

namespace atl::control {

class AccessTokens {
 public:
  struct Holder {
    SessionId session;
    Caller caller;
  };

  AccessTokens(Keys& keys, Sessions& sessions) : keys_(keys), sessions_(sessions) {}

  // On a server without keys one that protects nothing.
  std::string of(const model::Session& session) const;
  // kSessionNotFound for a session that does not live, kUnauthenticated for a wrong token.
  async::Task<Result<Holder>> check(SessionId id, std::string token) const;
  // The session whose token the predicate takes: for signed links, which name no session. Asks for
  // each live session, so a predicate costs no more than a hash.
  async::Task<Result<Holder>> find(std::function<bool(std::string_view token)> takes) const;

 private:
  Keys& keys_;
  Sessions& sessions_;
};

}  // namespace atl::control
