// GET /audit: every action has its row, whoever may read it does, and nobody else.
#include <boost/json/array.hpp>
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

constexpr const char* kAudit = "/api/v1/audit";

Task<boost::json::array> rows_of(Api* api, std::string query = {}, http::Headers more = {}) {
  Reply reply = co_await api->call(Method::kGet, kAudit + query, {}, std::move(more));
  EXPECT_EQ(reply.status, 200) << reply.body;
  co_return reply.json().at("audit").as_array();
}

std::string text(const boost::json::value& row, std::string_view name) {
  const boost::json::value& member = row.at(boost::json::string_view(name.data(), name.size()));
  return member.is_null() ? "" : std::string(member.as_string());
}

// "action detail", the oldest first; waits for what is written in the background.
Task<std::vector<std::string>> told(Api* api, std::string query, std::size_t count) {
  std::vector<std::string> found;
  while (found.size() < count) {
    boost::json::array rows = co_await rows_of(api, query);
    found.clear();
    for (const boost::json::value& row : rows) {
      found.insert(found.begin(), text(row, "action") + " " + text(row, "detail"));
    }
    if (found.size() < count) co_await async::sleep_for(std::chrono::milliseconds(5));
  }
  co_return found;
}

Task<void> expect_status(Api* api, int status, Method method, std::string target,
                         std::string body = {}, http::Headers more = {}) {
  Reply reply = co_await api->call(method, target, std::move(body), std::move(more));
  EXPECT_EQ(reply.status, status) << target << ": " << reply.body;
}

using Told = std::vector<std::string>;
const http::Headers kWait{{"Prefer", "wait"}};

Task<void> session_life(Api* api) {
  std::string id = co_await api->make_session();
  std::string place = "/api/v1/sessions/" + id;
  co_await expect_status(api, 200, Method::kPatch, place, R"({"labels":{"a":"s3cret"}})");
  co_await expect_status(api, 200, Method::kPost, place + "/renew", R"({"seconds":77})");
  co_await expect_status(api, 200, Method::kPost, place + "/execute",
                         R"({"command":"A=s3cret env","env":{"B":"s3cret"}})", kWait);
  co_await expect_status(api, 403, Method::kPost, place + "/execute", R"({"command":"rm -rf /"})");
  co_await expect_status(api, 422, Method::kPatch, place, R"({"config":{"timeout_seconds":0}})");
  std::string query = "?session_id=" + id;
  Told before = co_await told(api, query, 6);
  EXPECT_EQ(before,
            (Told{"session_created shell-default", "session_changed labels", "session_renewed 77 s",
                  "execution_started A=", "execution_ended ", "execution_refused rm"}));
  co_await expect_status(api, 204, Method::kDelete, place);
  co_await expect_status(api, 204, Method::kDelete, place);  // it has ended
  boost::json::array rows = co_await rows_of(api, query);
  EXPECT_EQ(rows.size(), 7u);
  EXPECT_EQ(text(rows[0], "action"), "session_deleted");
  const boost::json::value& result = rows[2].at("result");
  EXPECT_EQ(result.at("exit_code"), 0);
  EXPECT_EQ(result.at("state"), "completed");
  EXPECT_EQ(text(rows[1], "outcome"), "dangerous_command");
  EXPECT_EQ(text(rows[2], "outcome"), "ok");
  EXPECT_FALSE(text(rows[2], "execution_id").empty());
}

// What is not waited for, what is given up, and what takes longer than a moment.
Task<void> executions(Api* api) {
  std::string id = co_await api->make_session();
  std::string place = "/api/v1/sessions/" + id;
  Reply begun =
      co_await api->call(Method::kPost, place + "/execute", R"({"command":["sleep","1000"]})");
  EXPECT_EQ(begun.status, 202) << begun.body;
  std::string query = "?session_id=" + id;
  boost::json::array rows = co_await rows_of(api, query);
  EXPECT_EQ(text(rows[0], "execution_id"), begun.at({"execution_id"}));
  EXPECT_EQ(text(rows[0], "detail"), "sleep");
  std::string execution = "/api/v1/executions/" + begun.at({"execution_id"});
  co_await expect_status(api, 204, Method::kDelete, execution);
  co_await expect_status(api, 204, Method::kDelete, execution);
  Told after = co_await told(api, query, 4);
  std::ranges::sort(after);  // who cancels may be told before or after the end is written
  EXPECT_EQ(after, (Told{"execution_cancelled ", "execution_ended ", "execution_started sleep",
                         "session_created shell-default"}));
}

// All rows are one chain, and whoever has a copy can check it.
Task<void> chain(Api* api) {
  std::string id = co_await api->make_session();
  co_await expect_status(api, 200, Method::kPost, "/api/v1/sessions/" + id + "/execute",
                         R"({"command":"echo out; exit 3"})", kWait);
  Reply verdict = co_await api->call(Method::kGet, "/api/v1/audit/verify");
  EXPECT_EQ(verdict.status, 200) << verdict.body;
  EXPECT_EQ(verdict.at({"ok"}), "true") << verdict.body;
  EXPECT_EQ(verdict.at({"rows"}), "3");
  Reply rows = co_await api->call(Method::kGet, "/api/v1/audit/chain?limit=2");
  EXPECT_EQ(rows.status, 200) << rows.body;
  EXPECT_EQ(rows.json().at("audit").as_array().size(), 2u);
  EXPECT_EQ(rows.json().at("heads").at(0).at("seq"), 3);
  rows = co_await api->call(Method::kGet, "/api/v1/audit/chain?after=2");
  EXPECT_EQ(rows.json().at("audit").at(0).at("result").at("exit_code"), 3) << rows.body;
  EXPECT_EQ(rows.json().at("audit").at(0).at("result").at("stdout_bytes"), 4);
  co_await expect_status(api, 400, Method::kGet, "/api/v1/audit/chain?after=x");
}

Task<void> changed_files(Api* api) {
  std::string id = co_await api->make_session();
  co_await expect_status(api, 200, Method::kPost, "/api/v1/sessions/" + id + "/execute",
                         R"({"command":"echo 1 > a.txt","track_files":true})", kWait);
  boost::json::array rows = co_await rows_of(api, "?action=file_changed&session_id=" + id);
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(text(rows.at(0), "outcome"), "created_by_sandbox");
  EXPECT_TRUE(text(rows.at(0), "detail").ends_with("a.txt"));
}

Task<void> while_it_runs(Api* api) {
  std::string id = co_await api->make_session();
  async::TaskGroup group(api->executor);
  group.spawn(expect_status(api, 200, Method::kPost, "/api/v1/sessions/" + id + "/execute",
                            R"({"command":"while [ ! -e go ]; do sleep 0.01; done"})", kWait));
  std::string query = "?action=execution_started&session_id=" + id;
  Told running = co_await told(api, query, 1);
  co_await expect_status(api, 201, Method::kPut, "/api/v1/sessions/" + id + "/files/go");
  co_await group.wait_idle();
  Told ended = co_await told(api, query, 1);
  EXPECT_EQ(ended, running);
}

Task<void> one_shot(Api* api) {
  co_await expect_status(
      api, 200, Method::kPost, "/api/v1/run",
      R"({"template_id":"shell-default","language":"bash","code":"echo s3cret"})");
  EXPECT_EQ(co_await told(api, "", 4),
            (Told{"session_created shell-default", "execution_started bash", "execution_ended ",
                  "session_deleted "}));
}

Task<void> files_and_others(Api* api) {
  std::string id = co_await api->make_session();
  std::string place = "/api/v1/sessions/" + id;
  co_await expect_status(api, 201, Method::kPut, place + "/files/a/b.txt", "s3cret");
  co_await expect_status(api, 201, Method::kPost, place + "/files/upload",
                         "--B\r\nContent-Disposition: form-data; name=\"file\"; "
                         "filename=\"d.txt\"\r\n\r\ns3cret\r\n--B--\r\n",
                         {{"Content-Type", "multipart/form-data; boundary=B"}});
  co_await expect_status(api, 204, Method::kDelete, place + "/files/d.txt");
  co_await expect_status(api, 404, Method::kDelete, place + "/files/d.txt");
  Told files = co_await told(api, "?session_id=" + id, 4);
  EXPECT_EQ(files, (Told{"session_created shell-default", "file_written a/b.txt",
                         "file_written d.txt", "file_removed d.txt"}));
  Reply taken = co_await api->call(Method::kPost, place + "/snapshots");
  std::string snapshot = taken.at({"id"});
  co_await expect_status(api, 204, Method::kDelete, "/api/v1/snapshots/" + snapshot);
  co_await expect_status(api, 201, Method::kPost, "/api/v1/templates", R"({"id":"mine"})");
  co_await expect_status(api, 200, Method::kPut, "/api/v1/templates/mine", R"({"name":"s3cret"})");
  co_await expect_status(api, 204, Method::kDelete, "/api/v1/templates/mine");
  Reply key = co_await api->call(Method::kPost, "/api/v1/keys", R"({"name":"s3cret"})");
  co_await expect_status(api, 204, Method::kDelete, "/api/v1/keys/" + key.at({"id"}));
  Told all = co_await told(api, "", 11);
  EXPECT_EQ(Told(all.begin() + 4, all.end()),
            (Told{"snapshot_created " + snapshot, "snapshot_deleted " + snapshot,
                  "template_created mine", "template_changed mine", "template_deleted mine",
                  "key_created " + key.at({"id"}), "key_revoked " + key.at({"id"})}));
  Reply raw = co_await api->call(Method::kGet, kAudit);
  EXPECT_EQ(raw.body.find("s3cret"), std::string::npos);
}

Task<void> who_may_read(Api* api) {
  auto made = co_await api->control->keys().create({}, {.role = model::Role::kAdmin});
  auto user = co_await api->control->keys().create({}, {.role = model::Role::kUser});
  auto other =
      co_await api->control->keys().create({}, {.tenant = "other", .role = model::Role::kAdmin});
  http::Headers as_user{{"X-API-Key", user->secret}};
  http::Headers as_other{{"X-API-Key", other->secret}};
  http::Headers as_admin{{"X-API-Key", made->secret}, {"X-Request-Id", "mine-1"}};
  co_await expect_status(api, 401, Method::kGet, kAudit);
  co_await expect_status(api, 403, Method::kGet, kAudit, {}, as_user);
  co_await expect_status(api, 201, Method::kPost, "/api/v1/templates", R"({"id":"mine"})",
                         as_admin);
  boost::json::array others = co_await rows_of(api, "", as_other);
  EXPECT_EQ(others.size(), 1u);  // its own key
  EXPECT_EQ(text(others[0], "detail"), other->key.id);
  EXPECT_EQ(text(others[0], "key_id"), "");
  boost::json::array own = co_await rows_of(api, "?key_id=" + made->key.id, as_admin);
  EXPECT_EQ(own.size(), 1u);
  EXPECT_EQ(text(own[0], "request_id"), "mine-1");
  EXPECT_EQ(text(own[0], "key_id"), made->key.id);
  EXPECT_EQ(text(own[0], "tenant"), "default");
  EXPECT_EQ(text(own[0], "trace_id").size(), 32u);
}

Task<void> pages_and_filters(Api* api) {
  for (std::string id : {"one", "two", "three"}) {
    co_await expect_status(api, 201, Method::kPost, "/api/v1/templates",
                           R"({"id":")" + id + R"("})");
  }
  Reply first = co_await api->call(Method::kGet, "/api/v1/audit?limit=2&action=template_created");
  EXPECT_EQ(first.json().at("audit").as_array().size(), 2u) << first.body;
  boost::json::array rest = co_await rows_of(api, "?limit=2&cursor=" + first.at({"next_cursor"}));
  EXPECT_EQ(rest.size(), 1u);
  EXPECT_EQ(text(rest[0], "detail"), "one");
  std::string time = text(rest[0], "time");
  boost::json::array since = co_await rows_of(api, "?since=" + time);
  EXPECT_EQ(since.size(), 3u);
  boost::json::array until = co_await rows_of(api, "?until=" + time);
  EXPECT_EQ(until.size(), 0u);
  boost::json::array none = co_await rows_of(api, "?action=key_revoked");
  EXPECT_EQ(none.size(), 0u);
  for (std::string bad :
       {"?since=yesterday", "?until=2026-02-30T00:00:00Z", "?action=access_refused",
        "?action=", "?limit=0", "?cursor=x", "?tenant=default"}) {
    co_await expect_status(api, 400, Method::kGet, kAudit + bad);
  }
}

// covers: listAuditChain, verifyAudit
TEST(Audit, IsOneChainWithResults) {
  with_api([](Api* api) { return chain(api); });
}
TEST(Audit, TellsWhichFilesAnExecutionChanged) {
  with_api([](Api* api) { return changed_files(api); });
}

// covers: listAudit
TEST(AuditRoutes, TheLifeOfASession) { with_api(session_life); }
// covers: listAudit
TEST(AuditRoutes, WhatIsStartedAndGivenUp) { with_api(executions); }
TEST(AuditRoutes, WhatRunsIsRecordedBeforeItsEnd) { with_api(while_it_runs); }
TEST(AuditRoutes, OneCallIsThreeDeeds) { with_api(one_shot); }
// covers: listAudit
TEST(AuditRoutes, FilesSnapshotsTemplatesAndKeys) { with_api(files_and_others); }
// covers: listAudit
TEST(AuditRoutes, AdminsOfTheTenantOnly) { with_api(who_may_read, {.keys = true}); }
// covers: listAudit
TEST(AuditRoutes, PagesAndFilters) { with_api(pages_and_filters); }

}  // namespace
}  // namespace atl::api::rest::test
