// The session that a client works in when it names none: made when it is first asked for, the same
// one from then on, and another one when it has ended. For protocols whose clients need not know
// of sessions. On the I/O thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/session_ender.hpp"
#include "control/session_maker.hpp"
#include "control/session_shared.hpp"
#include "control/sessions.hpp"

namespace atl::control {

struct SandboxClient {
  std::string name;  // unique in its tenant
  // It comes back under this name, also after a restart of the server: the session has a
  // session_key, so it is found again and its workspace is kept.
  bool lasting = false;
};

struct DefaultSandbox {
  SessionId id;
  bool made = false;                 // just now
  std::optional<SessionId> instead;  // of this one, which has ended since the last call
};

class DefaultSandboxes {
 public:
  static constexpr std::size_t kMost = 10'000;  // clients remembered

  DefaultSandboxes(const SessionShared& shared, Sessions& sessions, SessionMaker& maker,
                   SessionEnder& ender)
      : shared_(shared), sessions_(sessions), maker_(maker), ender_(ender) {}

  // Ready, or about to be.
  async::Task<Result<DefaultSandbox>> get(Caller caller, SandboxClient client);
  // The one that lives, if there is one: nothing is made.
  std::optional<SessionId> find(const Caller& caller, const SandboxClient& client) const;
  // The client has gone: what it had ends, unless it is lasting.
  async::Task<void> end(Caller caller, SandboxClient client);

 private:
  struct Entry {
    SessionId id;
    bool making = false;
    async::Event changed;
  };
  using EntryPtr = std::shared_ptr<Entry>;

  bool lives(const Caller& caller, const SessionId& id) const;
  CreateRequest request_for(const SandboxClient& client) const;
  async::Task<Result<DefaultSandbox>> make(Caller caller, SandboxClient client, EntryPtr entry);
  void forget_ended();

  const SessionShared& shared_;
  Sessions& sessions_;
  SessionMaker& maker_;
  SessionEnder& ender_;
  std::map<std::string, EntryPtr> entries_;  // tenant NUL name
};

}  // namespace atl::control
