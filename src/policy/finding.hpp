// What judging code comes to: findings with their places, and the worst of their levels. Plain
// data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

namespace atl::policy {

BOOST_DEFINE_ENUM_CLASS(Level, kSafe, kLow, kMedium, kHigh, kCritical)

struct Finding {
  std::string rule;
  Level level = Level::kSafe;
  std::uint32_t line = 1;    // of the judged text, from 1
  std::uint32_t column = 1;  // in bytes, from 1
  std::string snippet;       // at most kMaxSnippet bytes of one line
  std::string message;
};
BOOST_DESCRIBE_STRUCT(Finding, (), (rule, level, line, column, snippet, message))

struct Judgement {
  Level level = Level::kSafe;
  std::vector<Finding> findings;  // in the order of the text; one for each rule and line

  // A rule of the list that is never run, whatever the policy says (contract §6).
  bool has_dangerous_command() const;
};
BOOST_DESCRIBE_STRUCT(Judgement, (), (level, findings))

inline constexpr std::size_t kMaxSnippet = 120;
inline constexpr std::size_t kMaxFindings = 200;  // of one judgement; the worst level is kept
inline constexpr std::string_view kDangerousCommand = "dangerous-command";
inline constexpr std::string_view kUnjudged = "unjudged";  // too long, or nested too deep

}  // namespace atl::policy
