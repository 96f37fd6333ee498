// The contexts of a session, and that a restarted server finds them again.
#include <utility>

#include "base/fault.hpp"
#include "control/executions.hpp"
#include "control/session_environment.hpp"
#include "sandbox/defaults.hpp"

namespace atl::control {

using async::Task;

namespace {

ContextView view_of(const contexts::ContextInfo& info, const sandbox::Sandbox& sandbox) {
  return {.id = info.id,
          .language = std::string(contexts::language_name(info.language)),
          .cwd = info.cwd.empty() ? sandbox::default_cwd(sandbox) : info.cwd,
          .version = info.version,
          .is_default = info.is_default,
          .running = info.running,
          .waiting = info.waiting};
}

}  // namespace

Task<Result<ContextId>> Executions::context_of(LiveSessionPtr session, ExecuteRequest* request) {
  if (request->context != "default") co_return ContextId(request->context);
  ATOLL_CO_TRY(contexts::Language language, contexts::language_of(request->language));
  co_return co_await session->contexts->default_of(language, environment_of(session->row));
}

// The interpreter behind a context may be another one after each run.
Task<Result<void>> Executions::remember_context(LiveSessionPtr session, ContextId id,
                                                const Once* once) {
  ATOLL_CO_TRY(contexts::ContextInfo info, session->contexts->info(id));
  std::uint64_t& known = session->known_contexts[id.str()];
  if (known == info.exec_id) co_return Result<void>();
  known = info.exec_id;
  fault::here("context.opened");
  std::vector<store::Change> changes;
  if (once != nullptr) {
    once->add_to(changes, {.kind = model::MadeKind::kContext, .id = id.str()});
  }
  changes.push_back(
      store::PutContext{{.id = id,
                         .session_id = session->row.id,
                         .language = std::string(contexts::language_name(info.language)),
                         .cwd = info.cwd,
                         .is_default = info.is_default,
                         .exec_id = info.exec_id,
                         .created_at = now()}});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  fault::here("context.written");
  if (!written) session->known_contexts.erase(id.str());  // the next run tries again
  co_return written;
}

Task<Result<Outcome<ContextView>>> Executions::open_context(Caller caller, SessionId id,
                                                            OpenContextRequest request, Once once) {
  if (once.earlier()) {
    co_return co_await opened_before(std::move(caller), std::move(id), *once.earlier());
  }
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, id));
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  const std::string& name =
      request.language.empty() ? session->origin->spec.language : request.language;
  contexts::ContextOptions options;
  ATOLL_CO_TRY(options.language, contexts::language_of(name));
  options.cwd = std::move(request.cwd);
  options.env = environment_of(session->row);
  for (auto& [key, value] : request.env) options.env[key] = std::move(value);
  ATOLL_CO_TRY(ContextId opened, co_await session->contexts->open(std::move(options)));
  ATOLL_CO_TRY(contexts::ContextInfo info, session->contexts->info(opened));
  ContextView view = view_of(info, *session->sandbox);
  ATOLL_CO_CHECK(co_await remember_context(session, opened, &once));
  co_return Outcome<ContextView>{.value = std::move(view)};
}

Task<Result<Outcome<ContextView>>> Executions::opened_before(Caller caller, SessionId id,
                                                             model::Made made) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  if (!session->contexts) co_return fail(gone_since(made));
  Result<contexts::ContextInfo> info = session->contexts->info(ContextId(made.id));
  if (!info) co_return fail(gone_since(made));
  co_return Outcome<ContextView>{.value = view_of(*info, *session->sandbox), .replayed = true};
}

Task<Result<std::vector<ContextView>>> Executions::contexts(Caller caller, SessionId id) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, id));
  std::vector<ContextView> all;
  for (const contexts::ContextInfo& info : use.session().contexts->list()) {
    all.push_back(view_of(info, use.sandbox()));
  }
  co_return all;
}

Task<Result<ContextView>> Executions::restart_context(Caller caller, SessionId id,
                                                      ContextId context) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, id));
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  ATOLL_CO_CHECK(session->contexts->info(context));
  ATOLL_CO_CHECK(co_await session->contexts->restart(context));
  ATOLL_CO_TRY(contexts::ContextInfo info, session->contexts->info(context));
  ContextView view = view_of(info, *session->sandbox);
  ATOLL_CO_CHECK(co_await remember_context(session, std::move(context)));
  co_return view;
}

Task<Result<void>> Executions::close_context(Caller caller, SessionId id, ContextId context) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, id));
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(std::move(caller), std::move(id)));
  ATOLL_CO_CHECK(co_await session->contexts->close(context));
  fault::here("context.closed");
  session->known_contexts.erase(context.str());
  std::vector<store::Change> changes;
  changes.push_back(store::RemoveContext{std::move(context)});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  fault::here("context.removed");
  co_return written;
}

}  // namespace atl::control
