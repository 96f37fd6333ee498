// Making a session for a client: its key, its wait, and the answer to a repeated request.
#include <utility>

#include "base/code_from_name.hpp"
#include "base/fault.hpp"
#include "base/field_error.hpp"
#include "control/session_maker.hpp"

namespace atl::control {

using async::Task;
using model::MadeKind;
using model::MadeState;
using model::SessionState;

namespace {

// What the answer to a request that did not wait says of a session that is still being made.
model::Session as_accepted(model::Session row) {
  row.state = SessionState::kCreating;
  row.updated_at = row.created_at;
  row.isolation_layers.clear();
  row.isolation_missing.clear();
  row.ready_at.reset();
  row.expires_at.reset();
  row.workspace = model::Session().workspace;
  return row;
}

}  // namespace

// Another tenant's snapshot is none.
Task<Result<void>> SessionMaker::check_snapshot(std::string tenant, std::string id) {
  Result<model::Snapshot> row = co_await shared_.store.snapshot(id);
  if (row && row->tenant == tenant) co_return Result<void>();
  if (!row && row.error().code() != Code::kNotFound) co_return fail(row.error());
  co_return fail(field_error(Code::kNotFound, "/snapshot_id", "there is no snapshot " + id));
}

Task<Result<SessionMaker::Created>> SessionMaker::create(Caller caller, CreateRequest request,
                                                         Once once) {
  if (once.earlier()) co_return co_await created_before(std::move(caller), *once.earlier());
  if (!request.snapshot_id.empty()) {
    ATOLL_CO_CHECK(co_await check_snapshot(caller.tenant, request.snapshot_id));
  }
  std::optional<std::chrono::seconds> wait = request.wait;
  ATOLL_CO_TRY(Begun begun, co_await begin_one(std::move(caller), std::move(request), &once));
  MadeState stored = begun.ready ? MadeState::kDone : MadeState::kAccepted;
  Created created{.value = sessions_.view(*begun.session), .state = stored};
  if (wait) {
    ATOLL_CO_TRY(created.value, co_await wait_ready(begun.session, async::deadline_in(*wait)));
    if (created.value.state != SessionState::kCreating) created.state = MadeState::kDone;
  } else if (begun.made && !begun.ready) {
    created.value = as_accepted(std::move(created.value));
  }
  if (!begun.made) created.state = MadeState::kFound;
  if (once.active() && created.state != (begun.made ? stored : MadeState::kAccepted)) {
    std::vector<store::Change> changes;
    once.add_to(changes,
                {.kind = MadeKind::kSession, .id = created.value.id.str(), .state = created.state});
    ATOLL_CO_CHECK(co_await shared_.store.write(std::move(changes)));
    fault::here("idempotency.written");
  }
  co_return created;
}

Task<Result<SessionMaker::Created>> SessionMaker::created_before(Caller caller, model::Made made) {
  Result<model::Session> row = co_await sessions_.get(std::move(caller), SessionId(made.id));
  if (!row && row.error().code() == Code::kSessionNotFound) co_return fail(gone_since(made));
  if (!row) co_return fail(row.error());
  bool accepted = made.state == MadeState::kAccepted && !model::is_final(row->state);
  co_return Created{.value = accepted ? as_accepted(std::move(*row)) : std::move(*row),
                    .state = made.state,
                    .replayed = true};
}

Task<Result<model::Session>> SessionMaker::wait_ready(LiveSessionPtr session,
                                                      async::Deadline deadline) {
  ATOLL_CO_CHECK(co_await sessions_.until(session, deadline, [](const LiveSession& one) {
    return one.ending() ? one.ended() : one.row.state != SessionState::kCreating;
  }));
  model::Session row = sessions_.view(*session);
  if (row.state == SessionState::kFailed) {
    co_return fail(code_from_name(row.error_code), row.error_message);
  }
  co_return row;
}

}  // namespace atl::control
