// Making sessions: for a client, from the pool or not, with the files of a snapshot or of an
// earlier session; and finding those of the last server again. On the I/O thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/idempotency.hpp"
#include "control/requests.hpp"
#include "control/secrets.hpp"
#include "control/session_ender.hpp"
#include "control/sessions.hpp"
#include "control/snapshot_files.hpp"
#include "control/templates.hpp"

namespace atl::control {

// What sessions are made of.
struct SessionSources {
  Templates& templates;
  SnapshotFiles& snapshots;
  Secrets& secrets;
};

class SessionMaker {
 public:
  SessionMaker(const SessionShared& shared, Sessions& sessions, SessionEnder& ender,
               SessionSources sources);

  // Written to the store when this returns. From the pool it is `ready` by then, else `creating`
  // unless the request waits; one that cannot be made while the request waits is an error. A
  // session_key that has a live session gives that one (kFound).
  using Created = Outcome<model::Session>;
  async::Task<Result<Created>> create(Caller caller, CreateRequest request, Once once = {});
  // The parts of it, for runs. `once` goes with the first write.
  struct Begun {
    LiveSessionPtr session;
    bool made = true;    // false: it is the one that its session_key has
    bool ready = false;  // when it was written
  };
  async::Task<Result<Begun>> begin_one(Caller caller, CreateRequest request,
                                       const Once* once = nullptr);
  // Until it is ready; the reason when it never will be. At the deadline: the row as it is then.
  async::Task<Result<model::Session>> wait_ready(LiveSessionPtr session, async::Deadline deadline);

  // Gives the sandbox the network that its session is to have, where that is not there already.
  async::Task<Result<void>> open_network(LiveSessionPtr session, SandboxPtr sandbox);

  // For Recovery: a session of the last server. Clients see it as it was stored; whoever wants to
  // use it waits until found(), make_again() or its end.
  LiveSessionPtr expect(model::Session row, TemplatePtr origin);
  struct Found {
    SandboxPtr sandbox;
    std::unique_ptr<contexts::Contexts> contexts;
    std::map<std::string, std::uint64_t> known_contexts;
  };
  void found(LiveSession& session, Found found);
  // One that was still being made when the server ended.
  void make_again(LiveSessionPtr session);

  const SessionLimits& limits() const { return shared_.limits; }
  std::uint64_t created_total() const { return created_total_; }
  async::Task<void> shut_down() { return tasks_.join(); }

 private:
  LiveSessionPtr begin(const Caller& caller, CreateRequest& request, TemplatePtr origin,
                       model::SessionConfig config, const Node& node);
  async::Task<void> make(LiveSessionPtr session);
  async::Task<Result<void>> fill(LiveSessionPtr session, SandboxPtr sandbox);
  void drop(LiveSession& session);  // no client knows of it, and it has no sandbox
  void set_ready(LiveSession& session, SandboxPtr sandbox);
  async::Task<Result<void>> store_first(LiveSessionPtr session, const Once* once);
  async::Task<void> store_soon(LiveSessionPtr session);
  async::Task<Result<void>> check_snapshot(std::string tenant, std::string id);
  async::Task<Result<Created>> created_before(Caller caller, model::Made made);

  const SessionShared& shared_;
  Sessions& sessions_;
  SessionEnder& ender_;
  SessionSources sources_;
  std::uint64_t created_total_ = 0;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
