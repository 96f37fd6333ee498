// For the judges of the languages: code inside of code. Not for users of the library.
#pragma once

#include <string>
#include <string_view>

#include "policy/judge.hpp"
#include "policy/reporter.hpp"
#include "policy/syntax.hpp"

namespace atl::policy {

inline constexpr int kMaxInner = 6;  // bash -c inside of bash -c …; deeper is critical

Judgement judge_at(const Rules& rules, std::string_view code, std::string_view language, int depth);

void judge_python(const Tree& tree, Reporter& reporter, int depth);
void judge_javascript(const Tree& tree, Reporter& reporter, int depth);
void judge_shell(const Tree& tree, Reporter& reporter, int depth);

}  // namespace atl::policy
