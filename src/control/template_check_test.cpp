#include <gtest/gtest.h>

#include "control/templates.hpp"

namespace atl::control {
namespace {

TEST(CheckTemplate, BuiltInOnesAreGood) {
  std::vector<model::Template> all = built_in_templates();
  ASSERT_EQ(all.size(), 3u);
  for (const model::Template& one : all) {
    EXPECT_TRUE(check_template(one.id, one.spec, false)) << one.id;
    EXPECT_EQ(one.spec.pool, 0u);
    EXPECT_EQ(one.spec.resources.memory, 512u);
    EXPECT_EQ(one.spec.resources.disk, 256u);
  }
}

TEST(CheckTemplate, Limits) {
  auto wrong = [](auto change) {
    model::TemplateSpec spec;
    change(spec);
    Result<void> checked = check_template("x", spec, false);
    return checked ? Code::kOk : checked.error().code();
  };
  EXPECT_EQ(wrong([](auto&) {}), Code::kOk);
  EXPECT_EQ(wrong([](auto& spec) { spec.resources.cpu = 0; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.resources.memory = 1; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.pool = 100'000; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.env["A=B"] = "1"; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.env["A\nB"] = "1"; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.preload.assign(1000, "os"); }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.preload = {"no-module"}; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.image = "../x"; }), Code::kInvalidValue);
  EXPECT_EQ(wrong([](auto& spec) { spec.preinstalled_packages = {"x"}; }), Code::kNoPackageIndex);
  model::TemplateSpec packed{.preinstalled_packages = {"numpy>=1.2,<2", "requests[socks]"}};
  EXPECT_TRUE(check_template("a", packed, true));
  for (const char* bad : {"", "-r", "a b", "../x", "x@http://y", "/etc"}) {
    packed.preinstalled_packages = {bad};
    EXPECT_EQ(check_template("a", packed, true).error().code(), Code::kInvalidValue) << bad;
  }
  packed.language = "javascript";
  packed.preinstalled_packages = {"left-pad", "@types/node@^20.1", "a.b@1.2.3-rc.1"};
  EXPECT_TRUE(check_template("a", packed, true));
  for (const char* bad : {"", "-g", "a b", "../x", "x@http://y", "@/x", "@a", "a/b", "x@", "x@a/b",
                          "x@npm:y", ".x", "@a/../b"}) {
    packed.preinstalled_packages = {bad};
    EXPECT_EQ(check_template("a", packed, true).error().code(), Code::kInvalidValue) << bad;
  }
  packed = {.language = "bash", .preinstalled_packages = {"x"}};
  EXPECT_EQ(check_template("a", packed, true).error().code(), Code::kInvalidValue);
  for (const char* id : {"", "A", "-x", ".x", "a/b", "a b"}) {
    EXPECT_FALSE(check_template(id, {}, false)) << id;
  }
}

TEST(SettleConfig, RequestsStayWithinTheTemplate) {
  model::Template origin{.id = "x"};
  origin.spec.env = {{"A", "1"}, {"B", "2"}};
  ConfigRequest request{.environment = {{"B", "3"}}};
  request.resources.memory = 256;
  Result<model::SessionConfig> config = settle_config(origin, request, {});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->timeout_seconds, 300u);
  EXPECT_EQ(config->environment, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  request.resources.memory = 1024;
  EXPECT_EQ(settle_config(origin, request, {}).error().code(), Code::kInvalidValue);
  EXPECT_EQ(settle_config(origin, {.timeout_seconds = 0}, {}).error().code(), Code::kInvalidValue);
  EXPECT_EQ(settle_config(origin, {.allow_network = true}, {}).error().code(), Code::kForbidden);
  SessionLimits limits{
      .max_timeout_seconds = 1000, .timeout_seconds = 7, .idle_timeout_seconds = 9};
  EXPECT_EQ(settle_config(origin, {}, limits)->timeout_seconds, 7u);
  EXPECT_EQ(settle_config(origin, {}, limits)->idle_timeout_seconds, 9u);
  EXPECT_EQ(settle_config(origin, {.idle_timeout_seconds = 5}, limits)->idle_timeout_seconds, 5u);
  EXPECT_EQ(settle_config(origin, {.timeout_seconds = 1001}, limits).error().code(),
            Code::kInvalidValue);
}

}  // namespace
}  // namespace atl::control
