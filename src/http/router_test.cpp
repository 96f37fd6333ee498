#include "http/router.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using Kind = Router::Match::Kind;

Router make_router() {
  Router router;
  Handler none = [](Exchange&) -> Task<void> { co_return; };
  router.add(Method::kGet, "/health", none, {.name = "health"});
  router.add(Method::kGet, "/s", none, {.name = "list"});
  router.add(Method::kPost, "/s", none, {.name = "create"});
  router.add(Method::kGet, "/s/{id}", none, {.name = "get"});
  router.add(Method::kGet, "/s/{id}/files/watch", none, {.name = "watch"});
  router.add(Method::kGet, "/s/{id}/files/{name...}", none, {.name = "read"});
  router.add(Method::kPut, "/s/{id}/files/{name...}", none, {.name = "write"});
  router.add(kAny, "/s/{id}/proxy/{port}/{rest...}", none, {.name = "proxy"});
  return router;
}

std::string name_of(const Router::Match& match) {
  return match.route == nullptr ? "" : match.route->options.name;
}

TEST(Router, TakesTheRightRoute) {
  Router router = make_router();
  EXPECT_EQ(name_of(router.match(Method::kGet, "/health")), "health");
  EXPECT_EQ(name_of(router.match(Method::kHead, "/health")), "health");
  EXPECT_EQ(name_of(router.match(Method::kPost, "/s")), "create");
  EXPECT_EQ(name_of(router.match(Method::kGet, "/s/1/files/watch")), "watch");
  EXPECT_EQ(name_of(router.match(Method::kPut, "/s/1/files/watch")), "write");
  EXPECT_EQ(name_of(router.match(Method::kOptions, "/s/1/proxy/80/")), "proxy");
  EXPECT_EQ(router.routes().size(), 8U);
}

TEST(Router, DecodesAfterTheSplit) {
  Router router = make_router();
  Router::Match match = router.match(Method::kGet, "/s/a%2Fb/files/x%20y/..//%2e%2e/z");
  ASSERT_EQ(match.kind, Kind::kFound);
  ASSERT_EQ(match.captures.size(), 2U);
  EXPECT_EQ(match.captures[0], (std::pair<std::string, std::string>("id", "a/b")));
  EXPECT_EQ(match.captures[1].second, "x y/..//../z");
  EXPECT_EQ(match.raw_rest, "x%20y/..//%2e%2e/z");
}

TEST(Router, TellsUnknownFromWrongMethod) {
  Router router = make_router();
  EXPECT_EQ(router.match(Method::kGet, "/nothing").kind, Kind::kNotFound);
  EXPECT_EQ(router.match(Method::kGet, "/s/").kind, Kind::kNotFound);
  EXPECT_EQ(router.match(Method::kGet, "/health/x").kind, Kind::kNotFound);
  EXPECT_EQ(router.match(Method::kGet, "*").kind, Kind::kNotFound);
  Router::Match wrong = router.match(Method::kDelete, "/s");
  EXPECT_EQ(wrong.kind, Kind::kWrongMethod);
  EXPECT_EQ(wrong.allow, "GET, HEAD, POST");
  EXPECT_EQ(router.match(Method::kDelete, "/s/1/files/watch").allow, "GET, HEAD, PUT");
}

TEST(Router, RefusesBadPaths) {
  Router router = make_router();
  for (const char* path : {"/s/%00", "/s/%ff", "/s/%zz", "/s/%", "/s/%c0%af"}) {
    EXPECT_EQ(router.match(Method::kGet, path).kind, Kind::kBadPath) << path;
  }
}

TEST(Router, BoundsTheNumberOfSegments) {
  Router router = make_router();
  std::string path = "/s/1/files/x";
  for (int i = 0; i < 10'000; ++i) path += "/x";
  EXPECT_EQ(router.match(Method::kGet, path).kind, Kind::kNotFound);
}

TEST(Router, RefusesBadPatterns) {
  Router router = make_router();
  Handler none = [](Exchange&) -> Task<void> { co_return; };
  EXPECT_THROW(router.add(Method::kGet, "health", none), std::logic_error);
  EXPECT_THROW(router.add(Method::kGet, "/health", none), std::logic_error);
  EXPECT_THROW(router.add(Method::kGet, "/a{b}", none), std::logic_error);
  EXPECT_THROW(router.add(Method::kGet, "/{a...}/b", none), std::logic_error);
  EXPECT_THROW(router.add(Method::kGet, "/s/{other}", none), std::logic_error);
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
