// After a start: the store and the sandboxes that outlived the last server are brought together.
#include <csignal>
#include <map>
#include <utility>

#include "async/deadline.hpp"
#include "base/fault.hpp"
#include "control/control.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::ExecutionState;
using model::SessionState;

namespace {

constexpr std::size_t kPortion = 200;

constexpr std::chrono::seconds kDying{5};

Task<Result<bool>> until_over(sandbox::Process* process) {
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) co_return true;
  }
}

// Interpreters of contexts go on; a program that the last server was waiting for does not.
Task<void> end_programs(std::shared_ptr<sandbox::Sandbox> sandbox,
                        std::vector<store::ContextRow> contexts) {
  Result<std::vector<sandbox::ExecutionInfo>> found = co_await sandbox->executions();
  if (!found) co_return;
  for (const sandbox::ExecutionInfo& info : *found) {
    bool is_context = false;
    for (const store::ContextRow& row : contexts) is_context |= row.exec_id == info.exec_id;
    if (!info.running || is_context) continue;
    Result<std::unique_ptr<sandbox::Process>> process = co_await sandbox->attach(info.exec_id);
    if (!process) continue;
    (void)co_await (*process)->signal(SIGKILL);
    (void)co_await async::with_deadline(until_over(process->get()), async::deadline_in(kDying),
                                        Code::kExecTimeout, "it does not die");
  }
}

}  // namespace

Task<Result<std::vector<model::Session>>> Control::unfinished_sessions() {
  std::vector<model::Session> all;
  store::SessionFilter filter{.states = {SessionState::kCreating, SessionState::kReady,
                                         SessionState::kRunning, SessionState::kPaused}};
  store::Page page{.limit = kPortion};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows, co_await store_->sessions(filter, page));
    bool last = rows.size() < kPortion;
    if (!rows.empty()) page.after = rows.back().id.str();
    for (model::Session& row : rows) all.push_back(std::move(row));
    if (last) co_return all;
  }
}

Task<Result<void>> Control::fail_executions() {
  store::ExecutionFilter filter{.states = {ExecutionState::kQueued, ExecutionState::kRunning}};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Execution> rows,
                 co_await store_->executions(filter, {.limit = kPortion}));
    if (rows.empty()) break;
    std::vector<store::Change> changes;
    std::vector<ExecutionId> ended;
    for (model::Execution& row : rows) {
      row.state = ExecutionState::kFailed;
      row.error_code = std::string(code_name(Code::kServerRestarted));
      row.error_message = "the server ended while this ran";
      row.ended_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
      row.output = executions_.journals().read(row.id);
      ended.push_back(row.id);
      changes.push_back(store::PutExecution{.row = std::move(row), .with_output = true});
    }
    ATOLL_CO_CHECK(co_await store_->write(std::move(changes)));
    fault::here("reconcile.executions");
    for (const ExecutionId& id : ended) executions_.journals().remove(id);
  }
  executions_.journals().remove_all();
  co_return Result<void>();
}

// Nobody knows of it: the answer that would have told was not given.
Task<Result<void>> Control::end_one_shot(model::Session row) {
  row.state = SessionState::kTerminated;
  row.ended_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
  std::vector<store::Change> changes;
  changes.push_back(store::PutSession{std::move(row)});
  co_return co_await store_->write(std::move(changes));  // end_unknown() takes its sandbox
}

Task<Result<void>> Control::find_again(model::Session row) {
  Result<TemplatePtr> recipe = templates_.find(row.template_id);
  if (!recipe) {  // removed meanwhile: the session does not depend on it any more
    recipe = std::make_shared<const model::Template>(model::Template{.id = row.template_id});
  }
  if (row.state == SessionState::kCreating) {
    // How far it had come is not known; nobody has used it.
    (void)co_await node_->destroy(row.backend, row.sandbox_id);
    sessions_.make_again(std::move(row), *recipe);
    co_return Result<void>();
  }
  Result<SandboxPtr> sandbox = co_await node_->find_again(row.backend, row.sandbox_id);
  if (!sandbox) {
    log::warn("session_lost", log::kv("session_id", row.id.str()),
              log::kv("error", sandbox.error().to_string()));
    row.state = SessionState::kFailed;
    row.error_code = std::string(code_name(Code::kBackend));
    row.error_message = "the sandbox was gone when the server came back";
    row.ended_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
    std::vector<store::Change> changes;
    changes.push_back(store::PutSession{std::move(row)});
    co_return co_await store_->write(std::move(changes));
  }
  ATOLL_CO_TRY(std::vector<store::ContextRow> contexts, co_await store_->contexts(row.id));
  // It may be paused although its row does not say so; and what is frozen neither dies nor answers.
  (void)co_await (*sandbox)->resume();
  co_await end_programs(*sandbox, contexts);
  LiveSessionPtr session = sessions_.adopt(std::move(row), *recipe, std::move(*sandbox));
  for (store::ContextRow& context : contexts) {
    contexts::ContextOptions options{.cwd = context.cwd, .env = session->row.config.environment};
    Result<contexts::Language> language = contexts::language_of(context.language);
    if (language) options.language = *language;
    auto found = co_await session->contexts->reattach(context.id, context.exec_id, options,
                                                      context.is_default);
    if (found) {
      session->known_contexts[context.id.str()] = context.exec_id;
      continue;
    }
    std::vector<store::Change> changes;
    changes.push_back(store::RemoveContext{context.id});
    ATOLL_CO_CHECK(co_await store_->write(std::move(changes)));
  }
  if (session->row.state == SessionState::kPaused) (void)co_await session->sandbox->pause();
  co_return Result<void>();
}

Task<Result<void>> Control::end_unknown() {
  std::map<std::string, bool> known;
  for (const LiveSessionPtr& session : sessions_.all()) known[session->row.sandbox_id.str()] = true;
  for (const std::string& backend : node_->backends()) {
    Result<std::vector<SandboxId>> there = co_await node_->list(backend);
    if (!there) {
      log::warn("list_failed", log::kv("backend", backend),
                log::kv("error", there.error().to_string()));
      continue;
    }
    for (const SandboxId& id : *there) {
      if (known.contains(id.str())) continue;
      fault::here("reconcile.unknown");
      Result<void> gone = co_await node_->destroy(backend, id);
      log::info(gone ? "orphan_removed" : "orphan_stays", log::kv("sandbox_id", id.str()),
                log::kv("backend", backend),
                log::kv("error", gone ? std::string() : gone.error().to_string()));
    }
  }
  co_return Result<void>();
}

Task<Result<void>> Control::reconcile() {
  ATOLL_CO_CHECK(co_await fail_executions());
  ATOLL_CO_TRY(std::vector<model::Session> rows, co_await unfinished_sessions());
  for (model::Session& row : rows) {
    Result<void> done =
        co_await (row.one_shot ? end_one_shot(std::move(row)) : find_again(std::move(row)));
    ATOLL_CO_CHECK(done);
    fault::here("reconcile.found");
  }
  co_return co_await end_unknown();
}

}  // namespace atl::control
