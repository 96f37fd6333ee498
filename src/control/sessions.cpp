#include "control/sessions.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/value_from.hpp>

#include "base/fault.hpp"
#include "codec/json.hpp"
#include "codec/names.hpp"
#include "control/session_config.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::SessionState;

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::seconds kSeen{5};  // between looks at whether a sandbox still lives
constexpr std::chrono::seconds kWriteAgain{1};
constexpr std::chrono::milliseconds kAnswerFirst{2};
constexpr std::chrono::milliseconds kSoon{10};

std::string key_name(const std::string& tenant, const std::string& key) {
  return tenant + '\0' + key;
}

Error not_found(const SessionId& id) {
  return Error(Code::kSessionNotFound, "there is no session " + id.str());
}

}  // namespace

Sessions::Sessions(async::Executor executor, store::Store& store, const Clock& clock,
                   Templates& templates, Node& node, Pool& pool, Events& events, Mode mode,
                   SessionLimits limits)
    : executor_(executor),
      store_(store),
      clock_(clock),
      templates_(templates),
      node_(node),
      pool_(pool),
      events_(events),
      mode_(mode),
      limits_(limits),
      tasks_(executor),
      stopping_(executor) {}

Sessions::~Sessions() = default;

model::Time Sessions::now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall());
}

void Sessions::publish(const LiveSession& session, std::string event) {
  log::info(event, log::kv("session_id", session.row.id.str()),
            log::kv("template_id", session.row.template_id),
            log::kv("runtime_node", session.row.runtime_node),
            log::kv("trace_id", session.trace_id), log::kv("request_id", session.request_id),
            log::kv("metadata", codec::serialize(boost::json::value_from(session.row.metadata))));
  events_.publish({.event = std::move(event),
                   .tenant = session.row.tenant,
                   .session_id = session.row.id.str(),
                   .status = codec::enum_name(session.row.state),
                   .time = now()});
}

// Two requests with one key that come at once: the second waits until the first is in the store.
Task<Result<LiveSessionPtr>> Sessions::of_key(std::string name) {
  auto found = by_key_.find(name);
  if (found == by_key_.end()) co_return LiveSessionPtr();
  LiveSessionPtr session = live_.at(found->second);
  while (!session->stored && !session->ending) co_await session->changed.wait();
  if (session->ending) co_return LiveSessionPtr();
  co_return session;
}

Task<Result<Sessions::Created>> Sessions::create(Caller caller, CreateRequest request,
                                                 ExtraChanges extra) {
  if (mode_ == Mode::kDisabled) {
    co_return fail(Code::kSandboxDisabled, "sandboxes are turned off in the configuration");
  }
  if (mode_ == Mode::kShared) request.session_key = "shared";
  if (!request.session_key.empty()) {
    ATOLL_CO_TRY(LiveSessionPtr same,
                 co_await of_key(key_name(caller.tenant, request.session_key)));
    if (same) co_return Created{.session = std::move(same), .made = false};
  }
  ATOLL_CO_TRY(
      TemplatePtr recipe,
      templates_.find(request.template_id.empty() ? "python-default" : request.template_id));
  ATOLL_CO_TRY(model::SessionConfig config, settle_config(*recipe, request.config, limits_));
  ATOLL_CO_CHECK(node_.check(*recipe, config));
  if (live_.size() >= limits_.live) {
    co_return fail(Code::kResourceExhausted,
                   "this server has all the sessions it may have: delete some, or try again later");
  }
  LiveSessionPtr session = begin(caller, request, std::move(recipe), std::move(config));
  if (session->sandbox && !keeps_limits(*session->recipe, session->row.config)) {
    co_await take_limits(session);
  }
  fault::here("create.begun");
  if (request.stored_late && session->sandbox && session->row.session_key.empty()) {
    tasks_.spawn(store_soon(session));
  } else {
    ATOLL_CO_CHECK(co_await store_first(session, std::move(extra)));
  }
  session->changed.notify_all();
  ++created_total_;
  publish(*session, "session_created");
  if (!session->sandbox) tasks_.spawn(make(session));
  co_return Created{.session = std::move(session)};
}

Task<Result<void>> Sessions::store_first(LiveSessionPtr session, ExtraChanges extra) {
  std::vector<store::Change> changes = extra ? extra(session->row) : std::vector<store::Change>();
  changes.push_back(store::PutSession{session->row});
  Result<void> written = co_await store_.write(std::move(changes));
  if (written) {
    fault::here("create.written");
    session->stored = true;
    co_return written;
  }
  session->made = true;
  if (written.error().code() == Code::kNoAvailableRuntime) {
    // A database that went away may have it all the same: it must not stay there as ready.
    tasks_.spawn(end_quietly(session, SessionState::kFailed, "io", written.error().message()));
  } else {
    forget(*session);
    if (session->sandbox) stopping_.spawn(stop_sandbox(session->sandbox));
  }
  co_return written;
}

// Most are over by then. The others are to be seen by whoever asks for the list.
Task<void> Sessions::store_soon(LiveSessionPtr session) {
  co_await async::sleep_for(kSoon);
  if (session->stored || session->ending) co_return;
  session->stored = true;
  Result<void> written = co_await put(session);
  if (!written) session->stored = false;
}

std::vector<store::Change> Sessions::with_result(LiveSession& session, bool ends) const {
  std::vector<store::Change> changes;
  if (session.stored && !ends) return changes;
  model::Session row = session.row;
  row.updated_at = now();
  if (ends) {
    row.state = SessionState::kTerminated;
    row.ended_at = row.updated_at;
  }
  changes.push_back(store::PutSession{std::move(row)});
  session.stored = true;
  return changes;
}

LiveSessionPtr Sessions::begin(const Caller& caller, CreateRequest& request, TemplatePtr recipe,
                               model::SessionConfig config) {
  auto session = std::make_shared<LiveSession>();
  session->recipe = std::move(recipe);
  session->trace_id = caller.trace_id;
  session->request_id = caller.request_id;
  model::Session& row = session->row;
  row.id = SessionId::make();
  row.tenant = caller.tenant;
  row.key_id = caller.key_id;
  row.session_key = request.session_key;
  row.template_id = session->recipe->id;
  row.runtime_node = node_.id();
  row.backend = node_.backend_of(*session->recipe);
  row.config = std::move(config);
  row.labels = std::move(request.labels);
  row.metadata = std::move(request.metadata);
  row.snapshot_id = std::move(request.snapshot_id);
  row.one_shot = request.one_shot;
  row.created_at = row.updated_at = now();
  SandboxPtr ready =
      row.snapshot_id.empty() ? pool_.claim(session->recipe, row.config) : SandboxPtr();
  row.sandbox_id = ready ? ready->id() : SandboxId::make();
  session->made = ready != nullptr;
  if (ready) set_ready(*session, std::move(ready));
  live_[row.id] = session;
  if (!row.session_key.empty()) by_key_[key_name(row.tenant, row.session_key)] = row.id;
  return session;
}

void Sessions::set_ready(LiveSession& session, SandboxPtr sandbox) {
  model::Session& row = session.row;
  sandbox::Isolation isolation = sandbox->status().isolation;
  row.isolation_layers = std::move(isolation.layers);
  row.isolation_missing = std::move(isolation.missing);
  row.state = SessionState::kReady;
  row.ready_at = row.updated_at = now();
  // It may have been renewed while it was made.
  if (!row.expires_at) {
    row.expires_at = *row.ready_at + std::chrono::seconds(row.config.timeout_seconds);
  }
  session.idle_since = clock_.steady();
  session.contexts = std::make_unique<contexts::Contexts>(sandbox.get());
  session.sandbox = std::move(sandbox);
}

// A sandbox that waited gets the limits of this session; one that cannot is not for it.
Task<void> Sessions::take_limits(LiveSessionPtr session) {
  SandboxPtr sandbox = session->sandbox;
  Result<void> changed =
      co_await node_.change_limits(sandbox, session->recipe, session->row.config);
  if (changed) co_return;
  log::warn("limits_not_changed", log::kv("error", changed.error().to_string()));
  stopping_.spawn(stop_sandbox(std::move(sandbox)));
  session->contexts.reset();
  session->sandbox.reset();
  session->made = false;
  model::Session& row = session->row;
  row.sandbox_id = SandboxId::make();
  row.state = SessionState::kCreating;
  row.ready_at.reset();
  row.expires_at.reset();
}

Task<void> Sessions::make(LiveSessionPtr session) {
  fault::here("create.making");
  Result<SandboxPtr> made =
      co_await node_.make(session->row.sandbox_id, session->recipe, session->row.config);
  fault::here("create.made");
  if (made && !session->row.snapshot_id.empty() && restore_) {
    Result<void> restored = co_await restore_(*made, session->row.snapshot_id);
    fault::here("create.restored");
    if (!restored) {
      co_await stop_sandbox(*made);
      made = fail(restored.error());
    }
  }
  if (session->ending) {  // deleted while it was made
    if (made) co_await stop_sandbox(*made);
    session->made = true;
    session->changed.notify_all();
    co_return;
  }
  session->made = true;
  if (!made) {
    co_await end_quietly(session, SessionState::kFailed,
                         std::string(code_name(made.error().code())), made.error().message());
    co_return;
  }
  set_ready(*session, std::move(*made));
  Result<void> written = co_await put(session);
  if (!written) {
    co_await end_quietly(session, SessionState::kFailed, "io", written.error().message());
    co_return;
  }
  fault::here("create.ready");
  publish(*session, "session_ready");
  session->changed.notify_all();
}

Task<Result<void>> Sessions::put(LiveSessionPtr session) {
  session->row.updated_at = now();
  std::vector<store::Change> changes;
  changes.push_back(store::PutSession{session->row});
  co_return co_await store_.write(std::move(changes));
}

Task<void> Sessions::stop_sandbox(SandboxPtr sandbox) {
  Result<void> stopped = co_await sandbox->stop();
  fault::here("delete.stopped");
  if (!stopped) log::warn("sandbox_stop_failed", log::kv("error", stopped.error().to_string()));
}

// The answer goes first: a processor that takes a sandbox apart is nobody else's for 2 ms.
Task<void> Sessions::stop_soon(SandboxPtr sandbox) {
  co_await async::sleep_for(kAnswerFirst);
  co_await stop_sandbox(std::move(sandbox));
}

void Sessions::forget(LiveSession& session) {
  session.ending = true;
  live_.erase(session.row.id);
  auto by_key = by_key_.find(key_name(session.row.tenant, session.row.session_key));
  if (by_key != by_key_.end() && by_key->second == session.row.id) by_key_.erase(by_key);
  session.changed.notify_all();
}

Task<Result<void>> Sessions::end(LiveSessionPtr session, SessionState state, std::string code,
                                 std::string message) {
  if (session->ending) {
    while (!session->ended) co_await session->changed.wait();
    if (!live_.contains(session->row.id)) co_return Result<void>();
    co_return fail(Code::kNoAvailableRuntime, "it has ended, and the store does not know it yet");
  }
  session->ending = true;
  fault::here("delete.begun");
  session->changed.notify_all();
  session->before_end = session->row.state;
  session->row.state = state;
  session->row.error_code = std::move(code);
  session->row.error_message = std::move(message);
  session->row.ended_at = now();
  // Awaited by nobody but shut_down(): tearing a sandbox down takes longer than anything else here.
  // What a crash leaves behind is found at the next start.
  bool at_rest = session->running == 0 && session->users == 0;
  if (session->sandbox) {
    stopping_.spawn(at_rest ? stop_soon(session->sandbox) : stop_sandbox(session->sandbox));
  }
  Result<void> written;
  if (!session->end_stored) written = co_await put(session);
  fault::here("delete.written");
  if (!written) log::error("store_failed", log::kv("error", written.error().to_string()));
  while (!session->sandbox && !session->made) co_await session->changed.wait();
  fault::here("delete.done");
  session->ended = true;
  if (written) {
    forget(*session);
  } else {
    session->changed.notify_all();
    tasks_.spawn(write_end(session));
  }
  publish(*session, "session_" + codec::enum_name(state));
  co_return written;
}

Task<void> Sessions::end_quietly(LiveSessionPtr session, SessionState state, std::string code,
                                 std::string message) {
  (void)co_await end(std::move(session), state, std::move(code), std::move(message));
}

// Until the store is back. It is kept here as ended: the store would still call it ready.
Task<void> Sessions::write_end(LiveSessionPtr session) {
  for (;;) {
    co_await async::sleep_for(kWriteAgain);
    Result<void> written = co_await put(session);
    if (written) break;
  }
  forget(*session);
}

Task<Result<model::Session>> Sessions::wait_ready(LiveSessionPtr session,
                                                  async::Deadline deadline) {
  ATOLL_CO_CHECK(co_await until(session, deadline, [](const LiveSession& one) {
    return one.ending ? one.ended : one.row.state != SessionState::kCreating;
  }));
  co_return view(*session);
}

Task<Result<void>> Sessions::until(LiveSessionPtr session, async::Deadline deadline,
                                   std::function<bool(const LiveSession&)> condition) {
  auto wait = [](LiveSessionPtr one,
                 std::function<bool(const LiveSession&)>* done) -> Task<Result<bool>> {
    while (!(*done)(*one)) co_await one->changed.wait();
    co_return true;
  };
  Result<bool> in_time = co_await async::with_deadline(wait(session, &condition), deadline,
                                                       Code::kCreateTimeout, "still creating");
  (void)in_time;  // the deadline is no error: the caller looks at what there is
  co_return Result<void>();
}

LiveSessionPtr Sessions::adopt(model::Session row, TemplatePtr recipe, SandboxPtr sandbox) {
  auto session = std::make_shared<LiveSession>();
  session->row = std::move(row);
  session->recipe = std::move(recipe);
  session->stored = session->made = true;
  session->idle_since = clock_.steady();
  session->contexts = std::make_unique<contexts::Contexts>(sandbox.get());
  session->sandbox = std::move(sandbox);
  live_[session->row.id] = session;
  if (!session->row.session_key.empty()) {
    by_key_[key_name(session->row.tenant, session->row.session_key)] = session->row.id;
  }
  return session;
}

void Sessions::make_again(model::Session row, TemplatePtr recipe) {
  auto session = std::make_shared<LiveSession>();
  session->row = std::move(row);
  session->recipe = std::move(recipe);
  session->stored = true;
  live_[session->row.id] = session;
  if (!session->row.session_key.empty()) {
    by_key_[key_name(session->row.tenant, session->row.session_key)] = session->row.id;
  }
  tasks_.spawn(make(session));
}

std::vector<LiveSessionPtr> Sessions::all() const {
  std::vector<LiveSessionPtr> sessions;
  for (const auto& [id, session] : live_) sessions.push_back(session);
  return sessions;
}

void Sessions::began(LiveSession& session) { ++session.running; }

void Sessions::finished(LiveSession& session) {
  --session.running;
  session.idle_since = clock_.steady();
  session.changed.notify_all();
}

Task<bool> Sessions::is_lost(LiveSessionPtr session) {
  if (!session->sandbox->is_running()) co_return true;
  if (clock_.steady() - session->seen_at < kSeen) co_return false;
  session->seen_at = clock_.steady();
  SandboxPtr sandbox = session->sandbox;
  Result<sandbox::Usage> usage = co_await sandbox->usage();
  co_return !usage && usage.error().code() == Code::kNotFound;
}

Task<void> Sessions::look_at(LiveSessionPtr session) {
  const model::Session& row = session->row;
  if (session->ending || !session->sandbox) co_return;
  bool lost = co_await is_lost(session);
  co_await follow_pause(session);
  if (session->ending) co_return;
  if (lost) {
    co_await end_quietly(session, SessionState::kFailed, "backend", "the sandbox is gone");
  } else if (row.expires_at && *row.expires_at <= now()) {
    co_await end_quietly(session, SessionState::kCompleted, {}, {});
  } else if (row.config.idle_timeout_seconds && session->running == 0 && session->users == 0 &&
             clock_.steady() - session->idle_since >=
                 std::chrono::seconds(*row.config.idle_timeout_seconds)) {
    co_await end_quietly(session, SessionState::kCompleted, {}, {});
  }
}

Task<void> Sessions::run_timers() {
  for (;;) {
    co_await async::sleep_for(kTick);
    for (const LiveSessionPtr& session : all()) tasks_.spawn(look_at(session));
  }
}

Task<void> Sessions::shut_down(bool end_sandboxes) {
  if (end_sandboxes) {
    async::TaskGroup ending(executor_);
    for (const LiveSessionPtr& session : all()) {
      ending.spawn(end_quietly(session, SessionState::kTerminated, {}, {}));
    }
    co_await ending.wait_idle();
  }
  co_await stopping_.wait_idle();
  co_await tasks_.join();
}

Result<LiveSessionPtr> Sessions::find_live(const Caller& caller, const SessionId& id) const {
  auto found = live_.find(id);
  if (found == live_.end() || found->second->row.tenant != caller.tenant) {
    return fail(not_found(id));
  }
  return found->second;
}

}  // namespace atl::control
