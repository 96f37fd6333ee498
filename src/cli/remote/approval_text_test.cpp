#include "cli/remote/approval_text.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace atl::cli {
namespace {

bodies::ApprovalBody waiting() {
  bodies::ApprovalBody one;
  one.id = "01abc";
  one.session_id = "01def";
  one.level = "critical";
  one.expires_at = "2026-01-01T00:05:00.000Z";
  one.asked_by = "agent";
  one.whole = true;
  return one;
}

WallTime now() { return *parse_time("2026-01-01T00:00:00.000Z"); }

TEST(ApprovalText, FindingsStandBelowTheirLines) {
  bodies::ApprovalBody one = waiting();
  one.language = "python";
  one.code = "x = 1\ny = eval(x)\n";
  one.findings.push_back({.rule = "eval",
                          .level = "critical",
                          .line = 2,
                          .column = 5,
                          .snippet = "eval",
                          .message = "runs text as code"});
  std::string text = approval_text(one, now(), false);
  EXPECT_NE(text.find("   1  x = 1\n   2  y = eval(x)\n"
                      "          ^ critical eval: runs text as code\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("asked by    key agent\n"), std::string::npos) << text;
  EXPECT_NE(text.find("waiting, 5m left"), std::string::npos) << text;
}

TEST(ApprovalText, CommandsAreShownAsTheyWouldBeTyped) {
  bodies::ApprovalBody one = waiting();
  one.command = boost::json::array{"rm", "a b", "it's"};
  std::string text = approval_text(one, now(), false);
  EXPECT_NE(text.find("rm 'a b' 'it'\\''s'\n"), std::string::npos) << text;
}

// What somebody wants to run must not command the terminal of the person who reads it.
TEST(ApprovalText, ControlCharactersAreNotPrinted) {
  bodies::ApprovalBody one = waiting();
  one.command = "echo \x1b[2J\rhidden";
  one.reason = "\x1b]0;x";
  std::string text =
      approval_text(one, now(), false) + approval_table({.approvals = {one}}, now(), false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ApprovalText, OnlyWhatIsCutOffSaysSo) {
  bodies::ApprovalBody one = waiting();
  one.command = "curl x";
  EXPECT_EQ(approval_text(one, now(), false).find("cut off"), std::string::npos);
  one.whole = false;
  EXPECT_NE(approval_text(one, now(), false).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace atl::cli
