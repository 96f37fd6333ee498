#include "control/recovery.hpp"

#include <csignal>
#include <memory>

#include "async/deadline.hpp"
#include "async/join_by.hpp"
#include "base/fault.hpp"
#include "control/session_environment.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::SessionState;

namespace {

constexpr std::size_t kPortion = 200;
constexpr std::size_t kAtOnce = 32;
constexpr int kRounds = 3;
constexpr std::chrono::seconds kGuestTime{10};  // for all of a session, in one round
constexpr std::chrono::seconds kDying{5};
constexpr std::chrono::seconds kAgain{1};
// At the server's end: what takes longer is left to the next one.
constexpr std::chrono::seconds kListing{3};
constexpr std::chrono::seconds kLeaving{10};

bool is_gone(const Error& error) {
  return error.code() == Code::kNotFound || error.code() == Code::kNotStarted ||
         error.code() == Code::kUnsupported || error.code() == Code::kUnsupportedBackend;
}

Task<Result<bool>> until_over(sandbox::Process* process) {
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) co_return true;
  }
}

// Interpreters of contexts go on; a program that the last server was waiting for does not.
Task<Result<void>> end_programs(SandboxPtr sandbox, std::vector<store::ContextRow> contexts) {
  Result<std::vector<sandbox::ExecutionInfo>> running = co_await sandbox->executions();
  if (!running && running.error().code() == Code::kUnsupported) co_return Result<void>();
  if (!running) co_return fail(running.error());
  std::vector<std::unique_ptr<sandbox::Process>> dying;
  for (const sandbox::ExecutionInfo& info : *running) {
    bool is_context = false;
    for (const store::ContextRow& row : contexts) is_context |= row.exec_id == info.exec_id;
    if (!info.running || is_context) continue;
    Result<std::unique_ptr<sandbox::Process>> process = co_await sandbox->attach(info.exec_id);
    if (!process) continue;
    (void)co_await (*process)->signal(SIGKILL);
    dying.push_back(std::move(*process));
  }
  async::Deadline deadline = async::deadline_in(kDying);
  for (const auto& process : dying) {
    (void)co_await async::with_deadline(until_over(process.get()), deadline, Code::kExecTimeout,
                                        "it does not die");
  }
  co_return Result<void>();
}

}  // namespace

Recovery::Recovery(const SessionShared& shared, Templates& templates, SessionMaker& maker,
                   SessionEnder& ender, Executions& executions)
    : shared_(shared),
      templates_(templates),
      maker_(maker),
      ender_(ender),
      executions_(executions),
      looking_(shared.executor),
      tasks_(shared.executor) {}

Task<void> Recovery::shut_down(bool end_sandboxes) {
  co_await tasks_.join();
  co_await looking_.join();
  if (!end_sandboxes || is_over_) co_return;
  (void)co_await async::with_deadline(find_all_orphans(), async::deadline_in(kListing),
                                      Code::kBackend, "no answer");
  async::TaskGroup ending(shared_.executor);
  for (std::size_t i = 0; i < kAtOnce; ++i) ending.spawn(end_orphans());
  co_await async::join_by(&ending, async::deadline_in(kLeaving));
}

Task<Result<void>> Recovery::load() {
  ATOLL_CO_CHECK(co_await executions_.load_left());
  store::SessionFilter filter{.states = {SessionState::kCreating, SessionState::kReady,
                                         SessionState::kRunning, SessionState::kPaused}};
  store::Page page{.limit = kPortion};
  std::vector<model::Session> over;
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await shared_.store.sessions(filter, page));
    bool last = rows.size() < kPortion;
    if (!rows.empty()) page.after = rows.back().id.str();
    for (model::Session& row : rows) {
      // Nobody knows of a one-shot: the answer that would have told was not given.
      const Node* node = shared_.placement.find(row.runtime_node);
      bool is_lost = node == nullptr ||
                     (row.state != SessionState::kCreating && !node->can_find_again(row.backend));
      if (row.one_shot || is_lost) {
        row.state = row.one_shot ? SessionState::kTerminated : SessionState::kFailed;
        if (!row.one_shot) {
          row.error_code = code_name(Code::kBackend);
          row.error_message = node == nullptr
                                  ? "the node " + row.runtime_node + " of the session is gone"
                                  : "sandboxes of the backend " + row.backend +
                                        " do not outlive the server that made them";
          if (node != nullptr) lost_in_.insert({row.runtime_node, row.backend});
        }
        over.push_back(std::move(row));
        continue;
      }
      known_.insert(row.sandbox_id.str());
      TemplatePtr origin = template_of(row);
      waiting_.push_back(maker_.expect(std::move(row), std::move(origin)));
    }
    if (last) break;
  }
  co_return co_await end_rows(std::move(over));
}

Task<Result<void>> Recovery::end_rows(std::vector<model::Session> rows) {
  if (rows.empty()) co_return Result<void>();
  std::vector<store::Change> changes;
  for (model::Session row : rows) {
    row.ended_at = shared_.clock.now();
    changes.push_back(store::PutSession{std::move(row)});
  }
  Result<void> written = co_await shared_.store.write(std::move(changes));
  if (written) co_return written;  // their sandboxes are nobody's
  log::error("store_failed", log::kv("error", written.error().to_string()));
  for (model::Session& row : rows) {
    TemplatePtr origin = template_of(row);
    SessionState state = row.state;
    std::string code = row.error_code, message = row.error_message;
    row.state = SessionState::kReady;
    LiveSessionPtr session = maker_.expect(std::move(row), std::move(origin));
    tasks_.spawn(
        ender_.end_quietly(std::move(session), state, std::move(code), std::move(message)));
  }
  co_return Result<void>();
}

TemplatePtr Recovery::template_of(const model::Session& row) {
  Result<TemplatePtr> origin = templates_.find(row.template_id);
  if (origin) return *origin;
  // Removed meanwhile: the session does not depend on it any more.
  return std::make_shared<const model::Template>(model::Template{.id = row.template_id});
}

void Recovery::start() {
  tasks_.spawn(executions_.store_left());
  tasks_.spawn(run());
}

Task<void> Recovery::run() {
  for (int round = 1; round <= kRounds && !waiting_.empty(); ++round) {
    next_ = 0;
    for (std::size_t i = 0; i < kAtOnce; ++i) looking_.spawn(look());
    co_await looking_.wait_idle();
    if (shared_.placement.is_lost()) co_return;  // the next server looks again
    waiting_.clear();
    for (Unanswered& one : std::exchange(unanswered_, {})) {
      if (round == kRounds)
        co_await give_up(std::move(one.session), std::move(one.why));
      else
        waiting_.push_back(std::move(one.session));
    }
    if (!waiting_.empty()) co_await async::sleep_for(kAgain);
  }
  co_await shared_.networks.release_unknown();
  (void)co_await find_all_orphans();
  for (std::size_t i = 0; i < kAtOnce; ++i) looking_.spawn(end_orphans());
  co_await looking_.wait_idle();
  is_over_ = true;
  for (const auto& node : shared_.placement.nodes()) node->forget_made();
  log::info("recovered", log::kv("sessions", known_.size()));
}

Task<void> Recovery::look() {
  while (next_ < waiting_.size() && !shared_.placement.is_lost()) {
    LiveSessionPtr session = waiting_[next_++];
    if (!session->finding()) continue;  // somebody has deleted it
    co_await find(std::move(session));
    fault::here("reconcile.found");
  }
}

Task<void> Recovery::find(LiveSessionPtr session) {
  std::vector<store::ContextRow> contexts = co_await contexts_of(session->row.id);
  async::Deadline deadline = async::deadline_in(kGuestTime);
  Result<bool> found = co_await async::with_deadline(attach(session, std::move(contexts)), deadline,
                                                     Code::kBackend, "");
  Node* node = shared_.placement.find(session->row.runtime_node);
  if (found || node->is_lost() || !session->finding()) co_return;
  if (is_gone(found.error())) {
    co_await give_up(std::move(session), std::move(found).error());
    co_return;
  }
  Error why = std::move(found).error();
  if (std::chrono::steady_clock::now() >= deadline) {
    why = Error(Code::kBackend, "no answer within " + std::to_string(kGuestTime.count()) + " s");
  }
  unanswered_.push_back({std::move(session), std::move(why)});
}

// A store that is away is waited for: it says nothing about the session.
Task<std::vector<store::ContextRow>> Recovery::contexts_of(SessionId id) {
  for (;;) {
    Result<std::vector<store::ContextRow>> rows = co_await shared_.store.contexts(id);
    if (rows) co_return std::move(*rows);
    log::warn("store_failed", log::kv("error", rows.error().to_string()));
    co_await async::sleep_for(kAgain);
  }
}

Task<Result<bool>> Recovery::attach(LiveSessionPtr session, std::vector<store::ContextRow> rows) {
  Node* node = shared_.placement.find(session->row.runtime_node);  // load() has looked for it
  std::string backend = session->row.backend;
  SandboxId id = session->row.sandbox_id;
  if (session->row.state == SessionState::kCreating) {
    // How far it had come is not known; nobody has used it.
    Result<void> gone = co_await node->destroy(std::move(backend), std::move(id));
    if (!gone && !is_gone(gone.error())) co_return fail(gone.error());
    maker_.make_again(std::move(session));
    co_return true;
  }
  ATOLL_CO_TRY(SandboxPtr sandbox, co_await node->find_again(std::move(backend), std::move(id),
                                                             session->origin, session->row.config));
  Result<void> opened = co_await maker_.open_network(session, sandbox);
  if (!opened) {  // it will be, as soon as that is possible
    log::warn("network_not_applied", log::kv("session_id", session->row.id.str()),
              log::kv("error", opened.error().to_string()));
  }
  // It may be paused although its row does not say so; and what is frozen neither dies nor answers.
  (void)co_await sandbox->resume();
  ATOLL_CO_CHECK(co_await end_programs(sandbox, rows));
  ATOLL_CO_TRY(SessionMaker::Found found,
               co_await find_contexts(session, sandbox, std::move(rows)));
  if (session->row.state == SessionState::kPaused) (void)co_await sandbox->pause();
  maker_.found(*session, std::move(found));
  co_return true;
}

Task<Result<SessionMaker::Found>> Recovery::find_contexts(LiveSessionPtr session,
                                                          SandboxPtr sandbox,
                                                          std::vector<store::ContextRow> rows) {
  SessionMaker::Found found{.sandbox = sandbox,
                            .contexts = std::make_unique<contexts::Contexts>(sandbox.get())};
  std::vector<store::Change> lost;
  for (store::ContextRow& row : rows) {
    contexts::ContextOptions options{.cwd = row.cwd, .env = environment_of(session->row)};
    Result<contexts::Language> language = contexts::language_of(row.language);
    if (language) options.language = *language;
    auto reattached =
        co_await found.contexts->reattach(row.id, row.exec_id, options, row.is_default);
    if (reattached) {
      found.known_contexts[row.id.str()] = row.exec_id;
    } else if (reattached.error().code() == Code::kCancelled) {
      co_return fail(reattached.error());
    } else {
      lost.push_back(store::RemoveContext{row.id});
    }
  }
  if (!lost.empty()) ATOLL_CO_CHECK(co_await shared_.store.write(std::move(lost)));
  co_return found;
}

Task<void> Recovery::give_up(LiveSessionPtr session, Error why) {
  known_.erase(session->row.sandbox_id.str());  // what is left of it is an orphan
  log::warn("session_lost", log::kv("session_id", session->row.id.str()),
            log::kv("error", why.to_string()));
  std::string message = is_gone(why)
                            ? "the sandbox was gone when the server came back"
                            : "the sandbox was not found again after a restart: " + why.message();
  co_await ender_.end_quietly(std::move(session), SessionState::kFailed,
                              std::string(code_name(Code::kBackend)), std::move(message));
}

// Sandboxes that no session of the last server had and that this one has not made. A session that
// ended meanwhile has taken care of its own.
Task<void> Recovery::find_orphans(Node* node, std::string backend) {
  Result<std::vector<SandboxId>> there = co_await node->list_left(backend);
  for (int round = 1; !there && round < kRounds && !node->is_lost(); ++round) {
    co_await async::sleep_for(kAgain);
    there = co_await node->list_left(backend);
  }
  if (!there) {
    log::warn("list_failed", log::kv("runtime_node", node->id()), log::kv("backend", backend),
              log::kv("error", there.error().to_string()));
    co_return;
  }
  for (SandboxId& id : *there) {
    if (!known_.contains(id.str())) orphans_.push_back({node, backend, std::move(id)});
  }
}

Task<Result<void>> Recovery::find_all_orphans() {
  for (const auto& node : shared_.placement.nodes()) {
    std::set<std::string> backends;
    for (std::string& backend : node->backends()) backends.insert(std::move(backend));
    for (const auto& [id, backend] : lost_in_) {
      if (id == node->id()) backends.insert(backend);
    }
    for (const std::string& backend : backends) co_await find_orphans(node.get(), backend);
  }
  co_return Result<void>();
}

Task<void> Recovery::end_orphans() {
  while (!orphans_.empty()) {
    Orphan orphan = std::move(orphans_.back());
    orphans_.pop_back();
    if (orphan.node->is_lost()) continue;
    fault::here("reconcile.unknown");
    Result<void> gone = co_await orphan.node->destroy(orphan.backend, orphan.id);
    log::info(gone ? "orphan_removed" : "orphan_stays", log::kv("sandbox_id", orphan.id.str()),
              log::kv("backend", orphan.backend),
              log::kv("error", gone ? std::string() : gone.error().to_string()));
  }
}

}  // namespace atl::control
