// What a tenant may keep on the disk, and what becomes of output that is more than memory should
// hold.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/task_group.hpp"

namespace atl::api::rest::test {
namespace {

constexpr node::SpaceFloor kNoRoom{.bytes = UINT64_MAX, .percent = 100};

Task<void> take(Api* api, std::string session, std::vector<Reply>* replies) {
  replies->push_back(
      co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/snapshots"));
}

// Two at once, and one place.
Task<void> last_snapshot(Api* api) {
  std::string session = co_await api->make_session();
  std::vector<Reply> replies;
  async::TaskGroup group(api->executor);
  for (int i = 0; i < 4; ++i) group.spawn(take(api, session, &replies));
  co_await group.wait_idle();
  EXPECT_EQ(std::ranges::count(replies, 201, &Reply::status), 2);
  std::string made;
  for (const Reply& reply : replies) {
    if (reply.status == 201) made = reply.at({"id"});
    if (reply.status == 201) continue;
    EXPECT_EQ(reply.status, 429) << reply.body;
    EXPECT_EQ(reply.at({"code"}), "quota_exceeded");
    EXPECT_EQ(reply.at({"quota"}), "snapshots");
  }
  Reply gone = co_await api->call(Method::kDelete, "/api/v1/snapshots/" + made);
  EXPECT_EQ(gone.status, 204);
  replies.clear();
  co_await take(api, session, &replies);
  EXPECT_EQ(replies[0].status, 201) << replies[0].body;
  // Another tenant has its own.
  Reply other =
      co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"shell-default"})",
                         {{"Atoll-Tenant", "other"}, {"Prefer", "wait"}});
  Reply taken =
      co_await api->call(Method::kPost, "/api/v1/sessions/" + other.at({"id"}) + "/snapshots", {},
                         {{"Atoll-Tenant", "other"}});
  EXPECT_EQ(taken.status, 201) << taken.body;
}

Task<void> snapshot_bytes(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session;
  (void)co_await api->call(Method::kPost, path + "/execute",
                           R"({"command":"head -c 300000 /dev/zero > f"})", {{"Prefer", "wait"}});
  Reply large = co_await api->call(Method::kPost, path + "/snapshots");
  EXPECT_EQ(large.at({"quota"}), "snapshot_bytes") << large.body;
  EXPECT_TRUE(std::filesystem::is_empty(api->folder + "data/snapshots"));
  // Nothing of it was counted.
  (void)co_await api->call(Method::kDelete, path + "/files/f");
  Reply small = co_await api->call(Method::kPost, path + "/snapshots");
  EXPECT_EQ(small.status, 201) << small.body;
}

Task<void> full_disk(Api* api) {
  std::string session = co_await api->make_session();
  std::vector<Reply> replies;
  co_await take(api, session, &replies);
  EXPECT_EQ(replies[0].status, 507) << replies[0].body;
  EXPECT_EQ(replies[0].at({"code"}), "storage_full");
  Reply keyed = co_await api->call(Method::kPost, "/api/v1/sessions",
                                   R"({"template_id":"shell-default","session_key":"k"})");
  EXPECT_EQ(keyed.status, 507) << keyed.body;
  // What it prints is kept as far as memory may hold it.
  Reply loud = co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                                  R"({"command":"head -c 3000000 /dev/zero | tr '\\0' x"})",
                                  {{"Prefer", "wait"}});
  EXPECT_EQ(loud.at({"truncated"}), "true");
  EXPECT_LE(loud.at({"stdout"}).size(), 1u << 20);
  EXPECT_GT(loud.at({"stdout"}).size(), 500'000u);
}

Task<Reply> open_key(Api* api, std::string key) {
  co_return co_await api->call(Method::kPost, "/api/v1/sessions",
                               R"({"template_id":"shell-default","session_key":")" + key + R"("})",
                               {{"Prefer", "wait"}});
}

Task<std::string> run(Api* api, std::string session, std::string command) {
  Reply ran = co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                                 R"({"command":")" + command + R"("})", {{"Prefer", "wait"}});
  co_return ran.at({"stdout"});
}

Task<void> workspaces(Api* api) {
  Reply one = co_await open_key(api, "one");
  EXPECT_EQ(one.status, 201) << one.body;
  Reply two = co_await open_key(api, "two");
  EXPECT_EQ(two.status, 201) << two.body;
  Reply three = co_await open_key(api, "three");
  EXPECT_EQ(three.status, 429) << three.body;
  EXPECT_EQ(three.at({"quota"}), "workspaces");
  std::string place = api->folder + "workspaces/default/";
  (void)co_await run(api, one.at({"id"}), "echo small > f");
  EXPECT_TRUE(std::filesystem::exists(place + "one/f"));
  (void)co_await run(api, one.at({"id"}), "head -c 200000 /dev/zero > large; rm f");
  EXPECT_FALSE(std::filesystem::exists(place + "one/large")) << "beyond the quota";
  EXPECT_TRUE(std::filesystem::exists(place + "one/f")) << "as it was";
  (void)co_await run(api, one.at({"id"}), "rm large; head -c 60000 /dev/zero > half");
  EXPECT_TRUE(std::filesystem::exists(place + "one/half"));
  (void)co_await run(api, two.at({"id"}), "head -c 60000 /dev/zero > half");
  EXPECT_FALSE(std::filesystem::exists(place + "two/half")) << "both together";
  (void)co_await run(api, one.at({"id"}), "rm half");
  (void)co_await run(api, two.at({"id"}), "true");
  EXPECT_TRUE(std::filesystem::exists(place + "two/half"));
  (void)co_await run(api, two.at({"id"}),
                     "rm half; for i in 1 2 3 4 5 6 7 8 9 10 11; do touch $i; done");
  EXPECT_FALSE(std::filesystem::exists(place + "two/11")) << "too many files";
}

// Everything that gives the output of an execution, with one that is in a file.
Task<void> large_output(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session();
  const std::string command =
      R"({"command":"yes 'zeile ü' | head -c 2000000; printf '\\377'; echo err >&2"})";
  Reply waited = co_await api->call(Method::kPost, path + "/execute", command,
                                    {{"Prefer", "wait"}, {"Idempotency-Key", "k"}});
  EXPECT_EQ(waited.status, 200);
  EXPECT_EQ(waited.headers.get("preference-applied"), "wait");
  std::string expected;
  while (expected.size() < 2'000'000) expected += "zeile ü\n";
  expected.resize(2'000'000);
  EXPECT_TRUE(waited.at({"stdout"}) == expected + "\xef\xbf\xbd");
  EXPECT_EQ(waited.at({"stderr"}), "err\n");
  // Where "err" comes between the two bytes of a letter, each of them becomes a mark of three.
  std::size_t merged = waited.at({"output"}).size() - (expected.size() + 3 + 4);
  EXPECT_TRUE(merged == 0 || merged == 4) << merged;
  EXPECT_EQ(waited.at({"stdout_b64"}).size(), (expected.size() + 1 + 2) / 3 * 4);
  EXPECT_EQ(waited.at({"stderr_b64"}), "");
  EXPECT_EQ(waited.at({"truncated"}), "false");
  Reply again = co_await api->call(Method::kPost, path + "/execute", command,
                                   {{"Prefer", "wait"}, {"Idempotency-Key", "k"}});
  EXPECT_EQ(again.at({"execution_id"}), waited.at({"execution_id"}));
  EXPECT_TRUE(again.at({"stdout"}) == waited.at({"stdout"}));
  std::string execution = "/api/v1/executions/" + waited.at({"execution_id"});
  Reply got = co_await api->call(Method::kGet, execution);
  EXPECT_TRUE(got.at({"stdout"}) == waited.at({"stdout"}));
  Reply listed = co_await api->call(Method::kGet, path + "/results");
  EXPECT_TRUE(listed.at({"results", "0", "stdout"}) == waited.at({"stdout"}));
  EXPECT_EQ(listed.json().at("results").as_array().size(), 1u);
  auto events = co_await api->events(Method::kGet, execution + "/stream");
  std::size_t bytes = 0;
  for (const http::SseEvent& event : events) {
    if (event.event == "stdout") bytes += event.data.size();
  }
  EXPECT_GT(bytes, expected.size());
  Reply text = co_await api->call(Method::kPost, path + "/execute", command,
                                  {{"Prefer", "wait"}, {"Accept", "text/plain"}});
  // Characters: of the lines, the bad byte, a line end, STDERR: and what is there.
  std::size_t characters = 2'000'000 - 2'000'000 / 9 + 1 + 1 + 8 + 4;
  EXPECT_NE(text.body.find("(truncated, " + std::to_string(characters - 10'000) + " more chars)"),
            std::string::npos)
      << text.body.substr(text.body.size() - 60);
  // While it runs.
  Reply begun = co_await api->call(
      Method::kPost, path + "/execute",
      R"({"command":"head -c 1500000 /dev/zero | tr '\\0' y; touch done; sleep 1000"})");
  Reply seen;
  while (seen.at({"stdout"}).size() < 1'500'000) {
    seen = co_await api->call(Method::kGet, "/api/v1/executions/" + begun.at({"execution_id"}));
  }
  EXPECT_EQ(seen.at({"state"}), "running");
  Reply ended =
      co_await api->call(Method::kDelete, "/api/v1/executions/" + begun.at({"execution_id"}));
  EXPECT_EQ(ended.status, 204) << ended.body;
  EXPECT_TRUE(std::filesystem::is_empty(api->folder + "data/journals"));
}

ApiWish with(void (*change)(control::ControlOptions& options)) {
  ApiWish wish;
  change(wish.control);
  return wish;
}

// covers: createSnapshot, C51
TEST(QuotaRoutes, TheLastSnapshotIsOnePlace) {
  with_api(last_snapshot, with([](auto& options) { options.quotas.snapshots.count = 2; }));
}
// covers: createSnapshot
TEST(QuotaRoutes, SnapshotsHaveASumOfSizes) {
  with_api(snapshot_bytes, with([](auto& options) { options.quotas.snapshots.bytes = 100'000; }));
}
// covers: createSession, createSnapshot, execute
TEST(QuotaRoutes, AFullDiskTakesNothingNew) {
  with_api(full_disk, with([](auto& options) {
             options.floor = kNoRoom;
             options.workspace_folder = "WORKSPACES";
           }));
}
// covers: createSession, C51
TEST(QuotaRoutes, WorkspacesOfATenantHaveASum) {
  with_api(workspaces, with([](auto& options) {
             options.quotas.workspaces = {.count = 2, .bytes = 100'000, .files = 10};
             options.workspace_folder = "WORKSPACES";
           }));
}
// covers: execute, getExecution, listResults, streamExecution, C44
TEST(QuotaRoutes, ALargeOutputIsGivenFromTheDisk) { with_api(large_output); }

}  // namespace
}  // namespace atl::api::rest::test
