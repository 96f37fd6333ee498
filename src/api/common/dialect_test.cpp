#include "api/common/dialect.hpp"

#include <gtest/gtest.h>

namespace atl::api {
namespace {

TEST(Dialect, NamesOfImagesLoseRegistryAndTag) {
  EXPECT_EQ(bare_image_name("python"), "python");
  EXPECT_EQ(bare_image_name("python:3.11-slim"), "python");
  EXPECT_EQ(bare_image_name("opensandbox/code-interpreter:v1.0.1"), "opensandbox/code-interpreter");
  EXPECT_EQ(bare_image_name("localhost/a"), "a");
  EXPECT_EQ(bare_image_name("registry.example.org:5000/a/b:1@sha256:00"), "a/b");
  EXPECT_EQ(bare_image_name("host:5000/a"), "a");
  EXPECT_EQ(bare_image_name(""), "");
  EXPECT_EQ(bare_image_name("/"), "/");
}

TEST(Dialect, TheFirstThatOwnsARequestHasIt) {
  auto of = [](std::string name, std::string path) {
    auto dialect = std::make_shared<Dialect>();
    dialect->name = std::move(name);
    dialect->owns = [path](const http::Request& request, const std::optional<PreviewHost>&) {
      return request.path.starts_with(path);
    };
    return dialect;
  };
  Dialects all{of("deep", "/v1/deep"), of("flat", "/v1")};
  auto owner = [&](std::string path) {
    http::Request request{.path = std::move(path)};
    const Dialect* found = dialect_of(all, request, std::nullopt);
    return found != nullptr ? found->name : "";
  };
  EXPECT_EQ(owner("/v1/deep/er"), "deep");
  EXPECT_EQ(owner("/v1/x"), "flat");
  EXPECT_EQ(owner("/api/v1"), "");
}

}  // namespace
}  // namespace atl::api
