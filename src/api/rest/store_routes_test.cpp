// What is written to the store, with what, and what becomes of a write that fails.
#include <algorithm>

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/task_group.hpp"

namespace atl::api::rest::test {
namespace {

using namespace std::chrono_literals;

// Of the store of the test that runs.
struct Writes {
  std::vector<std::string> all;  // "session", "ended+result"
  int refused = 0;               // so many of the next ones
  bool held = false;             // they wait, until let_go
  async::Event let_go;
};
Writes* writes = nullptr;

std::string name_of(const store::Change& change) {
  if (const auto* put = std::get_if<store::PutSession>(&change)) {
    return model::is_final(put->row.state) ? "ended" : "session";
  }
  if (const auto* put = std::get_if<store::PutExecution>(&change)) {
    return put->with_output ? "result" : "execution";
  }
  return "other";
}

Task<Result<void>> note(const std::vector<store::Change>* changes) {
  std::string names;
  for (const store::Change& change : *changes) {
    if (std::holds_alternative<store::AddAudit>(change)) continue;  // goes with what it tells of
    names += (names.empty() ? "" : "+") + name_of(change);
  }
  if (names.empty()) co_return Result<void>();  // recorded by itself, while something runs
  while (writes->held) co_await writes->let_go.wait();
  if (writes->refused > 0) {
    --writes->refused;
    co_return fail(Code::kNoAvailableRuntime, "the store is away");
  }
  writes->all.push_back(std::move(names));
  co_return Result<void>();
}

void with_writes(std::function<Task<void>(Api*)> body) {
  Writes all;
  writes = &all;
  ApiWish wish{.on_write = &note};
  wish.control.limits.stored_after = 1h;
  with_api(std::move(body), std::move(wish));
}

// One waits on the shelf of `warm`, and nothing has been written since.
Task<void> park_one(Api* api) {
  Reply made = co_await api->call(Method::kPost, "/api/v1/templates",
                                  R"({"id":"warm","language":"bash","pool":1})");
  EXPECT_EQ(made.status, 201) << made.body;
  while (api->control->placement().pool_figures()["warm"].ready == 0)
    co_await async::sleep_for(5ms);
  writes->all.clear();
}

constexpr const char* kRun = R"({"template_id":"warm","command":"echo 1"})";

// The session, its end and the result.
Task<void> run(Api* api) {
  co_await park_one(api);
  Reply ran = co_await api->call(Method::kPost, "/api/v1/run", kRun);
  EXPECT_EQ(ran.at({"stdout"}), "1\n") << ran.body;
  EXPECT_EQ(writes->all, std::vector<std::string>{"ended+result"});
  Reply over = co_await api->call(Method::kGet, "/api/v1/sessions/" + ran.at({"session_id"}));
  EXPECT_EQ(over.at({"status"}), "terminated") << over.body;
  EXPECT_EQ(api->control->sessions().live_count(), 0u);
}

Task<void> session(Api* api) {
  co_await park_one(api);
  Reply made = co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"warm"})");
  EXPECT_EQ(made.at({"status"}), "ready") << made.body;
  std::string path = "/api/v1/sessions/" + made.at({"id"});
  Reply ran = co_await api->call(Method::kPost, path + "/execute", R"({"command":"echo 1"})",
                                 {{"Prefer", "wait"}});
  EXPECT_EQ(ran.at({"stdout"}), "1\n") << ran.body;
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204) << gone.body;
  EXPECT_EQ(writes->all, (std::vector<std::string>{"session", "result", "ended"}));
}

// A repeated one must be found after a crash: it is written before it begins.
Task<void> run_with_key(Api* api) {
  co_await park_one(api);
  Reply ran = co_await api->call(Method::kPost, "/api/v1/run", kRun, {{"Idempotency-Key", "once"}});
  EXPECT_EQ(ran.at({"stdout"}), "1\n") << ran.body;
  EXPECT_EQ(writes->all.front(), "session");
  EXPECT_EQ(writes->all[1], "other+execution");
  EXPECT_EQ(writes->all[2], "other+result");
  Reply again =
      co_await api->call(Method::kPost, "/api/v1/run", kRun, {{"Idempotency-Key", "once"}});
  EXPECT_EQ(again.body, ran.body);
}

// What was to be written with the first attempt is part of the second.
Task<void> run_while_the_store_is_away(Api* api) {
  co_await park_one(api);
  writes->refused = 2;
  Reply ran = co_await api->call(Method::kPost, "/api/v1/run", kRun);
  EXPECT_EQ(ran.at({"stdout"}), "1\n") << ran.body;
  EXPECT_EQ(writes->all, std::vector<std::string>{"ended+result"});
}

// Nobody is told of a session that the store does not have, and its sandbox goes.
Task<void> create_while_the_store_is_away(Api* api) {
  co_await park_one(api);
  writes->refused = 1;
  Reply refused =
      co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"warm"})");
  EXPECT_EQ(refused.status, 503) << refused.body;
  while (api->control->sessions().live_count() != 0) co_await async::sleep_for(5ms);
  Reply listed = co_await api->call(Method::kGet, "/api/v1/sessions?status=ready,creating");
  EXPECT_EQ(listed.at({"sessions"}), "[]") << listed.body;
}

// An expiry that the store does not have is not kept.
Task<void> renew_while_the_store_is_away(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session();
  Reply before = co_await api->call(Method::kGet, path);
  writes->refused = 1;
  Reply refused = co_await api->call(Method::kPost, path + "/renew", R"({"seconds":86400})");
  EXPECT_EQ(refused.status, 503) << refused.body;
  Reply after = co_await api->call(Method::kGet, path);
  EXPECT_EQ(after.at({"expires_at"}), before.at({"expires_at"})) << after.body;
  Reply renewed = co_await api->call(Method::kPost, path + "/renew", R"({"seconds":86400})");
  EXPECT_EQ(renewed.status, 200) << renewed.body;
  EXPECT_NE(renewed.at({"expires_at"}), before.at({"expires_at"})) << renewed.body;
}

// An event has told of its session before the store knows it.
Task<void> beside_a_run(Api* api) {
  co_await park_one(api);
  async::TaskGroup group(api->executor);
  group.spawn([](Api* one) -> Task<void> {
    Reply slow = co_await one->call(
        Method::kPost, "/api/v1/run",
        R"({"template_id":"warm","command":"until [ -e go ]; do sleep 0.01; done"})");
    EXPECT_EQ(slow.at({"exit_code"}), "0") << slow.body;
  }(api));
  while (api->control->sessions().live_count() == 0) co_await async::sleep_for(1ms);
  std::string id = api->control->sessions().all().front()->row.id.str();
  Reply beside = co_await api->call(Method::kPost, "/api/v1/sessions/" + id + "/execute",
                                    R"({"command":"touch go"})");
  EXPECT_EQ(beside.status, 202) << beside.body;
  EXPECT_EQ(writes->all.front(), "session+execution");
  co_await group.wait_idle();
  Reply results = co_await api->call(Method::kGet, "/api/v1/sessions/" + id + "/results");
  EXPECT_EQ(results.json().at("results").as_array().size(), 2u) << results.body;
}

using SessionMaker = control::SessionMaker;

Task<void> create_keyed(Api* api, Result<SessionMaker::Created>* made) {
  *made = co_await api->control->session_maker().create(
      {}, {.template_id = "warm", .session_key = "k"});
}

// Whoever comes second with a session_key does not get a session that is not stored in the end.
Task<void> keyed_at_once(Api* api) {
  co_await park_one(api);
  Result<SessionMaker::Created> first = fail(Code::kInternal, "not yet");
  Result<SessionMaker::Created> second = first;
  async::TaskGroup group(api->executor);
  writes->held = true;
  group.spawn(create_keyed(api, &first));
  group.spawn(create_keyed(api, &second));
  EXPECT_FALSE(second) << "before the first was stored";
  writes->refused = 1;
  writes->held = false;
  writes->let_go.notify_all();
  co_await group.wait_idle();
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
  if (second) EXPECT_EQ(second->state, model::MadeState::kDone);
}

// covers: run
TEST(StoreRoutes, ARunIsOneCommit) { with_writes(run); }
// covers: createSession, deleteSession, execute
TEST(StoreRoutes, CreateExecuteAndDeleteAreOneCommitEach) { with_writes(session); }
// covers: run
TEST(StoreRoutes, ARunWithAKeyIsWrittenFirst) { with_writes(run_with_key); }
TEST(StoreRoutes, AResultWaitsForTheStore) { with_writes(run_while_the_store_is_away); }
// covers: execute, run
TEST(StoreRoutes, ASessionIsStoredWithItsFirstExecution) { with_writes(beside_a_run); }
TEST(StoreRoutes, OneSessionKeyAtOnce) { with_writes(keyed_at_once); }
TEST(StoreRoutes, ARenewalThatIsNotStoredIsNone) { with_writes(renew_while_the_store_is_away); }
TEST(StoreRoutes, ASessionThatIsNotStoredIsNone) { with_writes(create_while_the_store_is_away); }

}  // namespace
}  // namespace atl::api::rest::test
