#include "model/template.hpp"

#include <gtest/gtest.h>

namespace atl::model {
namespace {

TEST(Template, ASessionKeepsLimitsThatItDoesNotChange) {
  Template origin;
  EXPECT_TRUE(keeps_limits(origin, {}));
  SessionConfig same;
  same.resources = {.cpu = origin.spec.resources.cpu,
                    .memory = origin.spec.resources.memory,
                    .disk = origin.spec.resources.disk,
                    .pids = origin.spec.resources.pids};
  EXPECT_TRUE(keeps_limits(origin, same));
}

TEST(Template, EachLimitCounts) {
  Template origin;
  SessionConfig config;
  config.resources = {.cpu = 0.25};
  EXPECT_FALSE(keeps_limits(origin, config));
  config.resources = {.memory = 64};
  EXPECT_FALSE(keeps_limits(origin, config));
  config.resources = {.disk = 1};
  EXPECT_FALSE(keeps_limits(origin, config));
  config.resources = {.pids = 7};
  EXPECT_FALSE(keeps_limits(origin, config));
}

}  // namespace
}  // namespace atl::model
