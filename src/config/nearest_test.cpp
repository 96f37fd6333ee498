#include "config/nearest.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace atl::config {
namespace {

TEST(ConfigNearest, FindsSlips) {
  std::vector<std::string> known{"listen", "log", "allowedDomains", "max_active", "mode"};
  EXPECT_EQ(nearest("listn", known), "listen");
  EXPECT_EQ(nearest("lsiten", known), "listen");
  EXPECT_EQ(nearest("lgo", known), "log");
  EXPECT_EQ(nearest("allowed_domains", known), "allowedDomains");
  EXPECT_EQ(nearest("allowdDomain", known), "allowedDomains");
  EXPECT_EQ(nearest("MAX-ACTIVE", known), "max_active");
  EXPECT_EQ(nearest("max", known), "max_active");
}

TEST(ConfigNearest, DoesNotGuessWildly) {
  std::vector<std::string> known{"listen", "log"};
  EXPECT_EQ(nearest("store", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("__", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'l'), known), "");
}

}  // namespace
}  // namespace atl::config
