// After a start: the store and the sandboxes that outlived the last server are brought together.
// load() is quick whatever there is, and comes before the port is opened: sessions whose backend
// can find nothing again have failed when it returns. start() finds the others again in the
// background, a few at once, each with a deadline, and ends sandboxes of nobody.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/executions.hpp"
#include "control/session_ender.hpp"
#include "control/session_maker.hpp"
#include "control/templates.hpp"
#include "store/store.hpp"

namespace atl::control {

class Recovery {
 public:
  Recovery(const SessionShared& shared, Templates& templates, SessionMaker& maker,
           SessionEnder& ender, Executions& executions);

  // Every unfinished session of the store is in the table of sessions when this returns, and no
  // execution of the last server counts as running.
  async::Task<Result<void>> load();
  void start();
  // With `end_sandboxes` also those of nobody are ended that a short life left no time for, unless
  // their backend does not answer: then they are left to the next server.
  async::Task<void> shut_down(bool end_sandboxes);

 private:
  struct Unanswered {
    LiveSessionPtr session;
    Error why;
  };
  struct Orphan {
    Node* node;
    std::string backend;
    SandboxId id;
  };

  async::Task<Result<void>> end_rows(std::vector<model::Session> rows);
  TemplatePtr template_of(const model::Session& row);
  async::Task<void> run();
  async::Task<void> look();
  async::Task<void> find(LiveSessionPtr session);
  async::Task<Result<bool>> attach(LiveSessionPtr session, std::vector<store::ContextRow> rows);
  async::Task<Result<SessionMaker::Found>> find_contexts(LiveSessionPtr session, SandboxPtr sandbox,
                                                         std::vector<store::ContextRow> rows);
  async::Task<std::vector<store::ContextRow>> contexts_of(SessionId id);
  async::Task<void> give_up(LiveSessionPtr session, Error why);
  async::Task<void> find_orphans(Node* node, std::string backend);
  async::Task<Result<void>> find_all_orphans();
  async::Task<void> end_orphans();

  const SessionShared& shared_;
  Templates& templates_;
  SessionMaker& maker_;
  SessionEnder& ender_;
  Executions& executions_;
  std::vector<LiveSessionPtr> waiting_;  // to be looked at, from next_ on
  std::size_t next_ = 0;
  std::vector<Unanswered> unanswered_;                     // of this round
  std::set<std::string> known_;                            // sandboxes of sessions
  std::set<std::pair<std::string, std::string>> lost_in_;  // node and backend of lost sessions
  std::vector<Orphan> orphans_;
  bool is_over_ = false;
  async::TaskGroup looking_;  // those that look at waiting_, or end orphans_
  async::TaskGroup tasks_;
};

}  // namespace atl::control
