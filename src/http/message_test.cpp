#include "http/message.hpp"

#include <gtest/gtest.h>

#include "base/code_from_name.hpp"
#include "http/problem.hpp"
#include "http/uri.hpp"

namespace atl::http {
namespace {

TEST(Headers, NamesHaveNoCase) {
  Headers headers{{"Content-Type", "a/b"}, {"X-One", "1"}, {"x-one", "2"}};
  EXPECT_EQ(headers.get("content-type"), "a/b");
  EXPECT_EQ(headers.count("X-ONE"), 2U);
  EXPECT_EQ(headers.get("X-One"), "1");
  headers.set("x-ONE", "3");
  EXPECT_EQ(headers.count("X-One"), 1U);
  EXPECT_EQ(headers.get("x-one"), "3");
  headers.erase("X-one");
  EXPECT_FALSE(headers.has("x-one"));
}

TEST(Headers, CannotBeSplit) {
  Headers headers;
  headers.add("X-One", "a\r\nX-Two: b");
  headers.add("X Bad\r\n", "c");
  headers.add("", "d");
  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.get("x-one"), "a  X-Two: b");
}

TEST(Headers, FindsTokensInLists) {
  Headers headers{{"Connection", "keep-alive, Upgrade"}};
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_FALSE(headers.has_token("connection", "up"));
}

TEST(Uri, DecodesAndEncodes) {
  EXPECT_EQ(percent_decode("a%20b+c"), "a b+c");
  EXPECT_EQ(percent_decode("a%20b+c", true), "a b c");
  EXPECT_EQ(percent_decode("%e2%82%AC"), "€");
  EXPECT_FALSE(percent_decode("%").has_value());
  EXPECT_FALSE(percent_decode("%2").has_value());
  EXPECT_FALSE(percent_decode("%zz").has_value());
  EXPECT_EQ(percent_encode("a b/€"), "a%20b%2F%E2%82%AC");
  EXPECT_EQ(percent_encode("a/b", true), "a/b");
}

TEST(Uri, SplitsTargets) {
  Request request;
  EXPECT_TRUE(split_target("/a%2Fb?x=1&y=%26&z&&x=2", request));
  EXPECT_EQ(request.path, "/a%2Fb");
  EXPECT_EQ(request.query_value("x"), "1");
  EXPECT_EQ(request.query_value("y"), "&");
  EXPECT_TRUE(request.find_query("z").has_value());
  EXPECT_FALSE(request.find_query("w").has_value());
  EXPECT_TRUE(split_target("http://host:80/p?q=1", request));
  EXPECT_EQ(request.path, "/p");
  EXPECT_TRUE(split_target("http://host", request));
  EXPECT_EQ(request.path, "/");
  EXPECT_FALSE(split_target("/a?b=%", request));
  EXPECT_FALSE(split_target("/a#b", request));
  EXPECT_FALSE(split_target("a/b", request));
}

TEST(Problem, CarriesCodeAndPointer) {
  Response response =
      problem(Error(Code::kInvalidArgument, "is \"required\""), "req-1", "/command");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.get("content-type"), "application/problem+json");
  EXPECT_EQ(response.body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"code":"invalid_argument",)"
            R"("detail":"is \"required\"","request_id":"req-1","at":"/command"})");
}

TEST(Problem, MapsEveryCode) {
  EXPECT_EQ(status_of(Code::kSessionNotFound), 404);
  EXPECT_EQ(status_of(Code::kTooLarge), 413);
  EXPECT_EQ(status_of(Code::kExecTimeout), 504);
  EXPECT_EQ(status_of(Code::kNoAvailableRuntime), 503);
  EXPECT_EQ(problem(Error(Code::kResourceExhausted, "full")).headers.get("retry-after"), "1");
  for (int i = 1; i <= static_cast<int>(Code::kNoPackageIndex); ++i) {
    int status = status_of(static_cast<Code>(i));
    EXPECT_GE(status, 400) << i;
    EXPECT_FALSE(status_text(status).empty()) << status;
  }
}

TEST(Problem, ComesBackAsTheErrorItWas) {
  Response sent = problem(Error(Code::kSessionNotFound, "there is no session x"), "r", "/id");
  Error error = error_from(sent.status, sent.body);
  EXPECT_EQ(error.code(), Code::kSessionNotFound);
  EXPECT_EQ(error.message(), "there is no session x (at /id)");
  Response foreign = problem(415, "unsupported_media_type", "send JSON");
  error = error_from(foreign.status, foreign.body);
  EXPECT_EQ(error.code(), Code::kUnsupported);
  EXPECT_EQ(error.message(), "unsupported_media_type: send JSON");
  for (const char* body : {"", "<html>", "[]", "{}", R"({"code":7,"detail":"x"})"}) {
    error = error_from(404, body);
    EXPECT_EQ(error.code(), Code::kNotFound) << body;
    EXPECT_EQ(error.message(), "the server answered 404 Not Found") << body;
  }
  EXPECT_EQ(code_from_name("idempotency_mismatch"), Code::kIdempotencyMismatch);
  EXPECT_EQ(code_from_name("no such name"), Code::kInternal);
}

}  // namespace
}  // namespace atl::http
