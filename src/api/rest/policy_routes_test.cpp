// Judging code over REST, and what the server's policy denies.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

constexpr const char* kCheck = "/api/v1/policy/check";

Task<void> check(Api* api) {
  Reply risky = co_await api->call(Method::kPost, kCheck,
                                   R"({"code":"import os\nos.system","language":"py"})");
  EXPECT_EQ(risky.status, 200) << risky.body;
  EXPECT_EQ(risky.at({"level"}), "critical");
  boost::json::value finding = risky.json().at("findings").at(0);
  EXPECT_EQ(finding.at("rule"), "os-system");
  EXPECT_EQ(finding.at("line"), 2);
  Reply safe = co_await api->call(Method::kPost, kCheck, R"({"code":"1 + 1"})");
  EXPECT_EQ(safe.at({"level"}), "safe");
  Reply unknown = co_await api->call(Method::kPost, kCheck, R"({"code":"x","language":"cobol"})");
  EXPECT_EQ(unknown.status, 422) << unknown.body;
  Reply empty = co_await api->call(Method::kPost, kCheck, "{}");
  EXPECT_EQ(empty.status, 400) << empty.body;
}

Task<void> run_denied(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session + "/execute";
  Reply denied =
      co_await api->call(Method::kPost, path, R"({"code":"x = eval","language":"python"})");
  EXPECT_EQ(denied.status, 403) << denied.body;
  EXPECT_EQ(denied.at({"code"}), "forbidden");
  Reply fine =
      co_await api->call(Method::kPost, path, R"({"command":"echo hi"})", {{"Prefer", "wait=60"}});
  EXPECT_EQ(fine.at({"stdout"}), "hi\n") << fine.body;
}

TEST(Policy, ALevelThatIsDeniedIsNotRun) {
  ApiWish wish;
  wish.control.code.levels = {.critical = model::RiskAction::kDeny};
  with_api([](Api* api) { return run_denied(api); }, std::move(wish));
}

// covers: checkPolicy
TEST(Policy, CodeIsJudgedWithoutRunning) {
  with_api([](Api* api) { return check(api); });
}

}  // namespace
}  // namespace atl::api::rest::test
