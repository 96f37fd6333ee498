#include "control/execute_check.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace atl::control {
namespace {

constexpr std::chrono::seconds kLongest{1000};

Code check(ExecuteRequest request) {
  Result<void> checked = check_request(request, "python", kLongest);
  return checked ? Code::kOk : checked.error().code();
}

TEST(CheckRequest, EitherCodeOrACommand) {
  EXPECT_EQ(check({.code = "1"}), Code::kOk);
  EXPECT_EQ(check({.code = ""}), Code::kOk);
  EXPECT_EQ(check({.shell_command = "true"}), Code::kOk);
  EXPECT_EQ(check({.argv = {"true"}}), Code::kOk);
  EXPECT_EQ(check({}), Code::kInvalidArgument);
  EXPECT_EQ(check({.code = "1", .shell_command = "true"}), Code::kInvalidArgument);
  EXPECT_EQ(check({.shell_command = "true", .context = "default"}), Code::kInvalidValue);
  // Nothing that a context would pass over in silence.
  EXPECT_EQ(check({.code = "1", .context = "default"}), Code::kOk);
  EXPECT_EQ(check({.code = "1", .context = std::string("a\0b", 3)}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .context = "default", .cwd = "/tmp"}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .context = "default", .env = {{"A", "1"}}}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .context = "default", .stdin_data = "x"}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .context = "default", .stdin_open = true}), Code::kInvalidValue);
}

TEST(CheckRequest, LanguagesGetTheirOwnName) {
  ExecuteRequest request{.code = "1", .language = "js"};
  ASSERT_TRUE(check_request(request, "python", kLongest));
  EXPECT_EQ(request.language, "javascript");
  ExecuteRequest plain{.code = "1"};
  ASSERT_TRUE(check_request(plain, "bash", kLongest));
  EXPECT_EQ(plain.language, "bash");
  EXPECT_EQ(check({.code = "1", .language = "cobol"}), Code::kUnsupportedLanguage);
}

TEST(CheckRequest, LimitsHold) {
  EXPECT_EQ(check({.code = std::string(kMaxCode, ' ')}), Code::kOk);
  EXPECT_EQ(check({.code = std::string(kMaxCode + 1, ' ')}), Code::kTooLarge);
  EXPECT_EQ(check({.shell_command = std::string(kMaxCommand + 1, 'x')}), Code::kTooLarge);
  EXPECT_EQ(check({.argv = std::vector<std::string>(kMaxArguments + 1, "x")}), Code::kTooLarge);
  EXPECT_EQ(check({.code = "1", .timeout = -1.0}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .timeout = std::nan("")}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .timeout = 1001}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .timeout = 0.0}), Code::kOk);
}

TEST(CheckRequest, NoNulInWords) {
  EXPECT_EQ(check({.code = std::string("a\0b", 3)}), Code::kInvalidValue);
  EXPECT_EQ(check({.argv = {std::string("a\0b", 3)}}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .env = {{"A", std::string("\0", 1)}}}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .env = {{"A=B", "1"}}}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .env = {{"", "1"}}}), Code::kInvalidValue);
  EXPECT_EQ(check({.code = "1", .env = {{"A\nB", "1"}}}), Code::kInvalidValue);
}

TEST(DescribeRequest, TellsNoSecrets) {
  std::string told = describe_request(
      {.code = "1", .language = "python", .env = {{"TOKEN", "hidden"}}, .stdin_data = "hidden"});
  EXPECT_EQ(told, R"({"language":"python","code":"1"})");
}

}  // namespace
}  // namespace atl::control
