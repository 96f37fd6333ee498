// Executions that wait for a person: who decides, when it is too late, and what runs then.
#include "control/approvals.hpp"

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/stored_request.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using namespace std::chrono_literals;
using async::Task;
using model::ApprovalState;
using model::ExecutionState;
using model::RiskAction;

const Caller kAgent{.key_id = "agent", .role = model::Role::kUser};
const Caller kBoss{.key_id = "boss", .role = model::Role::kApprover};

PlaneWish asking(model::RiskPolicy levels = {.high = RiskAction::kAsk}) {
  PlaneWish wish;
  wish.control.code.levels = levels;
  return wish;
}

// High by the rules: it writes where nobody said it may.
ExecuteRequest risky(std::string end = "") {
  return {.shell_command = "command -v curl >/dev/null; curl --version >/dev/null 2>&1; echo ran" +
                           std::move(end)};
}

Task<model::Execution> get(Plane* plane, ExecutionId id) {
  auto row = co_await plane->control->executions().get(kAgent, std::move(id));
  EXPECT_TRUE(row.has_value()) << row.error().to_string();
  co_return row ? std::move(*row) : model::Execution();
}

Task<model::Execution> until_final(Plane* plane, ExecutionId id) {
  for (;;) {
    model::Execution row = co_await get(plane, id);
    if (model::is_final(row.state)) co_return row;
    co_await async::sleep_for(1ms);
  }
}

// Waits for it as long as a client may; the execution is what the client is told of.
Task<ExecutionId> ask(Plane* plane, SessionId session, ExecuteRequest request = risky()) {
  auto begun = co_await plane->control->executions().execute(
      kAgent, std::move(session), std::move(request), async::deadline_in(60s));
  EXPECT_TRUE(begun.has_value()) << begun.error().to_string();
  if (!begun) co_return ExecutionId();
  EXPECT_EQ(begun->state, model::MadeState::kAccepted);
  EXPECT_EQ(begun->value.state, ExecutionState::kAwaitingApproval);
  co_return begun->value.id;
}

Task<Code> decide(Plane* plane, ExecutionId id, bool approve, Caller caller = kBoss) {
  auto done = co_await plane->control->approvals().decide(
      std::move(caller), std::move(id), {.approve = approve, .reason = "because"});
  co_return done ? Code::kOk : done.error().code();
}

Task<model::Approval> approval(Plane* plane, ExecutionId id) {
  auto row = co_await plane->control->approvals().get(kBoss, std::move(id));
  EXPECT_TRUE(row.has_value()) << row.error().to_string();
  co_return row ? std::move(*row) : model::Approval();
}

Task<void> approved(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  model::Approval waiting = co_await approval(plane, id);
  EXPECT_EQ(waiting.state, ApprovalState::kWaiting);
  EXPECT_EQ(waiting.level, "high");
  EXPECT_EQ(waiting.key_id, "agent");
  EXPECT_TRUE(waiting.request_json.has_value());
  EXPECT_NE(waiting.findings_json.find("network-command"), std::string::npos);
  EXPECT_EQ(plane->control->approvals().figures().waiting, 1u);
  EXPECT_EQ(co_await decide(plane, id, true), Code::kOk);
  model::Execution row = co_await until_final(plane, id);
  EXPECT_EQ(row.state, ExecutionState::kCompleted) << row.error_message;
  EXPECT_EQ(row.output.stdout_bytes, "ran\n");
  model::Approval over = co_await approval(plane, id);
  EXPECT_EQ(over.state, ApprovalState::kApproved);
  EXPECT_EQ(over.decided_by, "boss");
  EXPECT_EQ(over.reason, "because");
  EXPECT_FALSE(over.request_json.has_value());
  EXPECT_EQ(co_await decide(plane, id, true), Code::kConflict) << "twice";
  EXPECT_EQ(co_await decide(plane, id, false), Code::kConflict) << "and otherwise";
  EXPECT_EQ(plane->control->approvals().figures().waiting, 0u);
}

TEST(Approvals, WhatIsApprovedRuns) { with_control(approved, asking()); }

Task<void> rejected(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  EXPECT_EQ(co_await decide(plane, id, false), Code::kOk);
  model::Execution row = co_await get(plane, id);
  EXPECT_EQ(row.state, ExecutionState::kRejected);
  EXPECT_EQ(row.error_code, "forbidden");
  EXPECT_NE(row.error_message.find("because"), std::string::npos);
  EXPECT_EQ((co_await approval(plane, id)).state, ApprovalState::kRejected);
  EXPECT_EQ(co_await decide(plane, id, true), Code::kConflict);
}

TEST(Approvals, WhatIsRejectedDoesNot) { with_control(rejected, asking()); }

Task<void> late(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  plane->clock->advance(299s);
  EXPECT_EQ((co_await get(plane, id)).state, ExecutionState::kAwaitingApproval);
  plane->clock->advance(2s);
  EXPECT_EQ(co_await decide(plane, id, true), Code::kConflict) << "its time is up";
  model::Execution row = co_await until_final(plane, id);
  EXPECT_EQ(row.state, ExecutionState::kRejected);
  EXPECT_EQ((co_await approval(plane, id)).state, ApprovalState::kExpired);
  EXPECT_EQ(co_await decide(plane, id, true), Code::kConflict);
}

// Sessions live long enough for both.
TEST(Approvals, NobodyInTimeIsANo) {
  PlaneWish wish = asking();
  wish.control.limits.timeout_seconds = 3600;
  with_control(late, std::move(wish));
}

Task<void> who(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  for (model::Role role : {model::Role::kUser, model::Role::kReadOnly}) {
    EXPECT_EQ(co_await decide(plane, id, true, {.key_id = "x", .role = role}), Code::kForbidden);
  }
  for (model::Role role : {model::Role::kOwner, model::Role::kAdmin, model::Role::kApprover}) {
    EXPECT_EQ(co_await decide(plane, id, true, {.key_id = "agent", .role = role}), Code::kForbidden)
        << "the key that asked";
    EXPECT_EQ(co_await decide(plane, id, true, {.tenant = "other", .key_id = "y", .role = role}),
              Code::kNotFound);
  }
  auto foreign = co_await plane->control->approvals().get({.tenant = "other", .key_id = "y"}, id);
  EXPECT_EQ(foreign.error().code(), Code::kNotFound);
  auto listed = co_await plane->control->approvals().list({.tenant = "other"}, {}, {});
  EXPECT_TRUE(listed->empty());
  EXPECT_EQ(co_await decide(plane, ExecutionId("none"), true), Code::kNotFound);
  EXPECT_EQ((co_await get(plane, id)).state, ExecutionState::kAwaitingApproval);
  EXPECT_EQ(co_await decide(plane, id, true, {.key_id = "root"}), Code::kOk);
}

TEST(Approvals, OnlyOthersWithTheRightDecide) { with_control(who, asking()); }

Task<void> ended(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId first = co_await ask(plane, session);
  ExecutionId second = co_await ask(plane, session);
  EXPECT_TRUE((co_await plane->control->executions().cancel(kAgent, first)).has_value());
  EXPECT_EQ((co_await until_final(plane, first)).state, ExecutionState::kCancelled);
  EXPECT_EQ(co_await decide(plane, first, true), Code::kConflict);
  EXPECT_EQ((co_await approval(plane, first)).state, ApprovalState::kCancelled);
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, session)).has_value());
  EXPECT_EQ((co_await until_final(plane, second)).state, ExecutionState::kCancelled);
  EXPECT_EQ(co_await decide(plane, second, true), Code::kConflict);
  EXPECT_EQ((co_await approval(plane, second)).state, ApprovalState::kCancelled);
}

TEST(Approvals, EndWithWhatTheyAreFor) { with_control(ended, asking()); }

Task<void> remembered(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  Approvals& approvals = plane->control->approvals();
  auto refused = co_await approvals.decide(kBoss, id, {.approve = false, .remember = 60s});
  EXPECT_EQ(refused.error().code(), Code::kInvalidValue);
  auto done = co_await approvals.decide(kBoss, id, {.approve = true, .remember = 60s});
  EXPECT_TRUE(done.has_value());
  (void)co_await until_final(plane, id);
  auto again = co_await plane->control->executions().execute(kAgent, session, risky(),
                                                             async::deadline_in(60s));
  EXPECT_EQ(again->value.state, ExecutionState::kCompleted) << "the same content";
  (void)co_await ask(plane, session, risky(" more"));
  ExecuteRequest other_place = risky();
  other_place.cwd = "/";
  (void)co_await ask(plane, session, other_place);
  SessionId other = co_await make_session(plane);
  (void)co_await ask(plane, other);
  plane->clock->advance(61s);
  (void)co_await ask(plane, session);
}

TEST(Approvals, TheSameContentCanBeApprovedForAWhile) {
  PlaneWish wish = asking();
  wish.control.limits.timeout_seconds = 3600;
  with_control(remembered, std::move(wish));
}

Task<void> bounded(Plane* plane) {
  SessionId session = co_await make_session(plane);
  ExecutionId id = co_await ask(plane, session);
  auto more = co_await plane->control->executions().execute(kAgent, session, risky(), std::nullopt);
  EXPECT_EQ(more.error().code(), Code::kResourceExhausted);
  EXPECT_EQ(co_await decide(plane, id, false), Code::kOk);
  ExecuteRequest large = risky("\n# " + std::string(3000, 'x'));
  more = co_await plane->control->executions().execute(kAgent, session, large, std::nullopt);
  EXPECT_EQ(more.error().code(), Code::kForbidden);
  EXPECT_EQ(plane->control->approvals().figures().waiting, 0u);
}

TEST(Approvals, AreBounded) {
  PlaneWish wish = asking();
  wish.control.approvals = {.waiting = 1, .request_bytes = 2048};
  with_control(bounded, std::move(wish));
}

Task<void> one_shot(Plane* plane) {
  RunRequest request{.session = {.template_id = "shell-default"}, .execution = risky()};
  auto told = co_await plane->control->runs().run(kAgent, request);
  EXPECT_TRUE(told.has_value()) << told.error().to_string();
  EXPECT_EQ(told->value.state, ExecutionState::kAwaitingApproval);
  EXPECT_EQ(plane->control->sessions().live_count(), 1u);
  EXPECT_EQ(co_await decide(plane, told->value.id, true), Code::kOk);
  EXPECT_EQ((co_await until_final(plane, told->value.id)).output.stdout_bytes, "ran\n");
  while (plane->control->sessions().live_count() > 0) co_await async::sleep_for(1ms);
}

TEST(Approvals, ARunKeepsItsSessionUntilThen) { with_control(one_shot, asking()); }

Task<void> by_template_and_key(Plane* plane) {
  SessionId session = co_await make_session(plane);
  Caller careful = kAgent;
  careful.policy = {.high = RiskAction::kAsk};
  auto asked = co_await plane->control->executions().execute(careful, session, risky(),
                                                             async::deadline_in(60s));
  EXPECT_EQ(asked->value.state, ExecutionState::kAwaitingApproval);
  auto free = co_await plane->control->executions().execute(kAgent, session, risky(),
                                                            async::deadline_in(60s));
  EXPECT_EQ(free->value.state, ExecutionState::kCompleted);
  model::TemplateSpec spec{.name = "strict", .language = "bash"};
  spec.policy = {.high = RiskAction::kDeny};
  auto made = co_await plane->control->templates().add({}, "strict", spec);
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  auto strict =
      co_await plane->control->session_maker().create({}, {.template_id = "strict", .wait = 60s});
  EXPECT_TRUE(strict.has_value()) << strict.error().to_string();
  auto denied = co_await plane->control->executions().execute(careful, strict->value.id, risky(),
                                                              std::nullopt);
  EXPECT_EQ(denied.error().code(), Code::kForbidden) << "the strictest";
}

TEST(Approvals, TemplatesAndKeysAskToo) { with_control(by_template_and_key); }

// What a server that was killed leaves behind: two executions that wait, one in a session that is
// gone by now.
PlaneWish after_a_crash(Steps* steps, std::vector<model::Approval>* left) {
  PlaneWish wish = asking();
  wish.steps = steps;
  wish.control.executions.patience = 100ms;
  for (bool lives : {true, false}) {
    model::Session session;
    session.id = SessionId::make();
    session.tenant = "default";
    session.template_id = "shell-default";
    session.runtime_node = lives ? "local" : "gone";
    session.backend = "steps";
    session.sandbox_id = SandboxId::make();
    session.state = model::SessionState::kReady;
    if (lives) steps->there.insert(session.sandbox_id.str());
    model::Execution row;
    row.id = ExecutionId::make();
    row.session_id = session.id;
    row.tenant = "default";
    row.state = ExecutionState::kAwaitingApproval;
    model::Approval approval;
    approval.id = row.id;
    approval.session_id = session.id;
    approval.tenant = "default";
    approval.key_id = "agent";
    approval.level = "high";
    approval.findings_json = "[]";
    approval.expires_at = model::Time(std::chrono::hours(24 * 366));
    ExecuteRequest request = risky();
    request.timeout = 0.1;
    approval.request_json = stored_request(request);
    wish.rows.push_back(store::PutSession{session});
    wish.rows.push_back(store::PutExecution{.row = row});
    wish.rows.push_back(store::PutApproval{approval});
    left->push_back(approval);
  }
  return wish;
}

Task<void> restarted(Plane* plane, std::vector<model::Approval>* left) {
  Caller owner{.role = model::Role::kOwner};
  EXPECT_EQ((co_await plane->control->tenants().get(owner, "default"))->use.executions, 1u);
  ExecutionId waits = left->at(0).id;
  ExecutionId lost = left->at(1).id;
  EXPECT_EQ((co_await get(plane, lost)).state, ExecutionState::kCancelled);
  EXPECT_EQ((co_await approval(plane, lost)).state, ApprovalState::kCancelled);
  EXPECT_EQ((co_await get(plane, waits)).state, ExecutionState::kAwaitingApproval);
  EXPECT_EQ(co_await decide(plane, waits, true, kAgent), Code::kForbidden);
  EXPECT_EQ(co_await decide(plane, waits, true), Code::kOk);
  // Sandboxes of this backend never end what they run: it was carried out, and its time was up.
  EXPECT_EQ((co_await until_final(plane, waits)).state, ExecutionState::kTimedOut);
}

// covers: C64
TEST(Approvals, WaitOnAfterARestart) {
  Steps steps;
  std::vector<model::Approval> left;
  PlaneWish wish = after_a_crash(&steps, &left);
  with_control([&left](Plane* plane) { return restarted(plane, &left); }, std::move(wish));
}

}  // namespace
}  // namespace atl::control::test
