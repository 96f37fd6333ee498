#include "control/risk.hpp"

#include <gtest/gtest.h>

#include "control/stored_request.hpp"

namespace atl::control {
namespace {

using model::RiskAction;
using model::RiskPolicy;
using policy::Level;

TEST(Risk, NothingIsSaidOfWhatNobodyNames) {
  EXPECT_EQ(action_of({}, Level::kCritical), std::nullopt);
  EXPECT_EQ(action_of({.critical = RiskAction::kDeny}, Level::kHigh), std::nullopt);
  EXPECT_EQ(action_of({.low = RiskAction::kDeny}, Level::kSafe), std::nullopt);
}

TEST(Risk, AskAndDenyHoldForWhatIsWorse) {
  RiskPolicy policy{.medium = RiskAction::kAsk};
  EXPECT_EQ(action_of(policy, Level::kLow), std::nullopt);
  EXPECT_EQ(action_of(policy, Level::kCritical), RiskAction::kAsk);
  policy.high = RiskAction::kAllow;
  EXPECT_EQ(action_of(policy, Level::kHigh), RiskAction::kAllow);
  EXPECT_EQ(action_of(policy, Level::kCritical), std::nullopt) << "allow is for its level alone";
}

TEST(Risk, TheStrictestOfThreeApplies) {
  RiskPolicies policies{.server = {.high = RiskAction::kAllow, .critical = RiskAction::kAsk},
                        .origin = {.high = RiskAction::kAsk},
                        .key = {.critical = RiskAction::kDeny}};
  EXPECT_EQ(policies.action(Level::kHigh), RiskAction::kAsk);
  EXPECT_EQ(policies.action(Level::kCritical), RiskAction::kDeny);
  EXPECT_EQ(policies.action(Level::kMedium), std::nullopt);
}

ExecuteRequest full_request() {
  return {.code = "print(1)",
          .language = "python",
          .cwd = "/tmp",
          .env = {{"A", "b"}},
          .stdin_data = std::string("\0\xff\n", 3),
          .timeout = 2.5,
          .max_output_bytes = 7,
          .track_files = true,
          .terminal = TerminalSize{.rows = 3, .cols = 4}};
}

TEST(StoredRequest, ComesBackWhole) {
  Result<ExecuteRequest> read = read_stored_request(stored_request(full_request()));
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(stored_request(*read), stored_request(full_request()));
  EXPECT_EQ(read->stdin_data, full_request().stdin_data);
  EXPECT_EQ(read->terminal->cols, 4);
  EXPECT_FALSE(read_stored_request("{").has_value());
}

TEST(StoredRequest, WhatRunsTheSameHasTheSameHash) {
  ExecuteRequest other = full_request();
  other.timeout = 9;
  other.label = "l";
  EXPECT_EQ(content_hash(other), content_hash(full_request()));
  other.env["A"] = "c";
  EXPECT_NE(content_hash(other), content_hash(full_request()));
  ExecuteRequest input = full_request();
  input.stdin_data = "x";
  EXPECT_NE(content_hash(input), content_hash(full_request()));
  EXPECT_NE(content_hash({.code = "a", .language = "bash"}), content_hash({.shell_command = "a"}));
}

}  // namespace
}  // namespace atl::control
