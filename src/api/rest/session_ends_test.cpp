// How many sessions there may be, how long, and what their end does to what runs in them.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

constexpr const char* kSessions = "/api/v1/sessions";

Task<void> full(Api* api) {
  std::string path = kSessions + ("/" + co_await api->make_session());
  Reply refused = co_await api->call(Method::kPost, kSessions, "{}");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_EQ(refused.at({"code"}), "resource_exhausted");
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204) << gone.body;
  (void)co_await api->make_session();
}

Task<void> changed(Api* api) {
  std::string path = kSessions + ("/" + co_await api->make_session());
  Reply before = co_await api->call(Method::kGet, path);
  Reply longer = co_await api->call(Method::kPatch, path, R"({"config":{"timeout_seconds":1000}})");
  EXPECT_GT(longer.at({"expires_at"}), before.at({"expires_at"})) << longer.body;
  Reply over = co_await api->call(Method::kPatch, path, R"({"config":{"timeout_seconds":1}})");
  EXPECT_EQ(over.status, 200) << over.body;
  while (over.at({"status"}) == "ready") over = co_await api->call(Method::kGet, path);
  EXPECT_EQ(over.at({"status"}), "completed") << over.body;
}

Task<void> deleted(Api* api) {
  std::string path = kSessions + ("/" + co_await api->make_session());
  Reply begun = co_await api->call(Method::kPost, path + "/execute",
                                   R"({"command":"echo begun; sleep 1000","timeout":0})");
  std::string execution = "/api/v1/executions/" + begun.at({"execution_id"});
  Reply now;
  while (now.at({"stdout"}).empty()) now = co_await api->call(Method::kGet, execution);
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204) << gone.body;
  while (now.at({"state"}) == "running") now = co_await api->call(Method::kGet, execution);
  EXPECT_EQ(now.at({"state"}), "cancelled") << now.body;
  EXPECT_EQ(now.at({"stdout"}), "begun\n");
}

// covers: createSession
TEST(SessionEnds, ThereAreOnlySoMany) {
  ApiWish wish;
  wish.control.limits.live = 1;
  with_api(full, std::move(wish));
}
// covers: changeSession
TEST(SessionEnds, AChangedLifetimeCounts) { with_api(changed); }
// covers: deleteSession
TEST(SessionEnds, WhatRunsIsCancelled) { with_api(deleted); }

}  // namespace
}  // namespace atl::api::rest::test
