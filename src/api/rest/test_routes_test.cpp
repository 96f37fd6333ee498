// Test-driven runs over REST.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

Task<void> verdicts(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session() + "/test";
  Reply mixed = co_await api->call(Method::kPost, path,
                                   R"json({"code":"read n; echo $((n * 2))","language":"bash",
              "cases":[{"name":"right","input":"4","expected":8},
                       {"input":"4","expected":"9"}]})json");
  EXPECT_EQ(mixed.status, 200) << mixed.body;
  EXPECT_EQ(mixed.at({"all_passed"}), "false");
  EXPECT_EQ(mixed.at({"passed"}), "1");
  EXPECT_EQ(mixed.at({"failed"}), "1");
  EXPECT_EQ(mixed.json().at("failures").at(0).at("name"), "case 2");
  EXPECT_EQ(mixed.json().at("tests").at(0).at("outcome"), "passed");
  EXPECT_EQ(mixed.json().at("tests").at(0).at("stdout"), "8\n");
  Reply file = co_await api->call(Method::kPost, path,
                                  R"json({"code":"def add(a, b): return a + b","language":"python",
              "test_code":"import solution\ndef test_add(): assert solution.add(1, 2) == 3"})json");
  EXPECT_EQ(file.status, 200) << file.body;
  EXPECT_EQ(file.at({"all_passed"}), "true") << file.body;
}

Task<void> bad(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session() + "/test";
  struct {
    const char* body;
    int status;
  } tries[] = {{R"({"cases":[{"expected":"1"}]})", 400},
               {R"({"code":"x"})", 400},
               {R"({"code":"x","cases":[]})", 422},
               {R"({"code":"x","cases":[{}]})", 400},
               {R"({"code":"x","cases":[{"expected":"1"}],"test_code":"y"})", 400},
               {R"({"code":"x","cases":[{"expected":"1"}],"timeout":-1})", 422},
               {R"({"code":"x","language":"cobol","cases":[{"expected":"1"}]})", 422},
               {R"({"code":"x","language":"bash","test_code":"y"})", 422}};
  for (const auto& one : tries) {
    Reply reply = co_await api->call(Method::kPost, path, one.body);
    EXPECT_EQ(reply.status, one.status) << one.body << reply.body;
  }
}

// covers: testCode
TEST(TestRoutes, GiveAVerdictPerTest) { with_api(verdicts); }
TEST(TestRoutes, RefuseBadBodies) { with_api(bad); }

}  // namespace
}  // namespace atl::api::rest::test
