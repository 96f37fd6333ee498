// The router and the OpenAPI document say the same.
#include <algorithm>
#include <cctype>
#include <set>

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "api/rest/documents.hpp"
#include "api/rest/test_api.hpp"
#include "codec/json.hpp"

namespace atl::api::rest::test {
namespace {

class EveryOperationAnswers final : public testing::Environment {
 public:
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*") return;  // not all tests have run
    auto document = codec::parse(openapi_json());
    for (const auto& [path, item] : document->at("paths").as_object()) {
      for (const auto& [method, operation] : item.as_object()) {
        if (method == "parameters") continue;
        std::string name(operation.at("operationId").as_string());
        // The fake backend cannot; tests/e2e/test_server.py has them on native.
        if (name == "pauseSession" || name == "resumeSession") continue;
        EXPECT_TRUE(answered().contains(name)) << "no test has had a good answer from " << name;
      }
    }
  }
};
const auto* const kAtTheEnd = testing::AddGlobalTestEnvironment(new EveryOperationAnswers);

std::set<std::string> of_router(const http::Router& router) {
  std::set<std::string> all;
  for (const auto& route : router.routes()) {
    std::string pattern = route->pattern;
    if (std::size_t dots = pattern.find("..."); dots != pattern.npos) pattern.erase(dots, 3);
    std::string method(route->method ? http::method_name(*route->method) : "ANY");
    std::string line = route->options.name;
    line.append(" ").append(method).append(" ").append(pattern);
    all.insert(std::move(line));
  }
  EXPECT_EQ(all.size(), router.routes().size()) << "operation ids are not unique";
  return all;
}

std::set<std::string> of_document() {
  std::set<std::string> all;
  auto document = codec::parse(openapi_json());
  EXPECT_TRUE(document.has_value());
  for (const auto& [path, item] : document->as_object().at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      if (method == "parameters") continue;
      std::string upper(method);
      std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
      all.insert(std::string(operation.as_object().at("operationId").as_string()) + " " + upper +
                 " " + std::string(path));
    }
  }
  return all;
}

// A comma in a bare text of the YAML ends it, and what follows becomes a member without a value.
std::string without_value(const boost::json::value& value, const std::string& at = "") {
  std::string found;
  if (const auto* members = value.if_object()) {
    for (const auto& [name, member] : *members) {
      found += without_value(member, at + "/" + std::string(name));
    }
  } else if (const auto* items = value.if_array()) {
    for (const auto& item : *items) found += without_value(item, at + "/-");
  } else if (value.is_null()) {
    found = at + " ";
  }
  return found;
}

Task<void> compare(Api* api) {
  EXPECT_EQ(without_value(*codec::parse(openapi_json())), "");
  EXPECT_EQ(of_router(*api->router), of_document());
  for (const char* prefix : {"", "/api/v1"}) {
    Reply served = co_await api->call(Method::kGet, std::string(prefix) + "/openapi.json");
    EXPECT_EQ(served.status, 200);
    EXPECT_EQ(served.body, openapi_json());
    Reply page = co_await api->call(Method::kGet, std::string(prefix) + "/docs");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body.find("http://"), page.body.npos) << "nothing from outside";
    EXPECT_NE(page.body.find("createSession"), page.body.npos);
  }
}

// covers: getBareDocs, getBareOpenapi, getDocs, getOpenapi
TEST(RouteTable, RouterAndDocumentAgree) { with_api(compare); }

}  // namespace
}  // namespace atl::api::rest::test
