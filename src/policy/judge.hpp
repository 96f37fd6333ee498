// How risky a piece of code looks, judged on its syntax tree (docs/policy.md). Static judgement is
// a seat belt and not a wall: what it lets through still runs in a sandbox. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/finding.hpp"
#include "policy/rules.hpp"

namespace atl::policy {

// What is larger, or nested deeper than a person would write, is judged critical unread.
inline constexpr std::size_t kMaxCode = 4 << 20;

// `language` is canonical; code in a language that has no rules is safe as far as they go.
Judgement judge_code(const Rules& rules, std::string_view code, std::string_view language);
// A command of separate words, as it is executed without a shell.
Judgement judge_words(const Rules& rules, const std::vector<std::string>& words);

}  // namespace atl::policy
