// One row of an option table. The same row parses, prints --help, completes in a shell and writes
// docs/cli.md, so none of them can disagree. Tables are constexpr: nothing is built at start-up.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace atl::cli {

// What a shell should offer as the argument.
enum class Complete { kNothing, kFile, kFolder, kWords };

struct Option {
  std::string_view name;      // without the dashes
  char short_name = 0;        // 0: none
  std::string_view argument;  // "SIZE"; empty: a flag
  std::string_view help;      // may hold several sentences; wrapped where it is shown
  Result<void> (*set)(void* target, std::string_view value) = nullptr;
  Complete complete = Complete::kNothing;
  std::string_view words{};  // kWords: the choices, separated by spaces
  std::string_view group{};  // a heading above this option in help and docs
};

// Errors of setters start with the option as the user typed it: "--memory 0: …".
struct ParseResult {
  std::size_t rest = 0;    // index of the first argument that is not an option
  bool separated = false;  // a "--" stood before it
};

// Reads options up to the first argument that is none, or past "--". Understands --name value,
// --name=value, -nvalue, -n value and grouped flags (-it); a value of its own word does not start
// with a dash, unless it is "-" or a number. `target` is handed to the setters.
Result<ParseResult> parse_options(std::span<const std::string_view> arguments,
                                  std::span<const Option> table, void* target);

// The same where options may stand before, between and after words that are none: `words` gets
// these, and everything behind "--". With `program`, everything behind the first word is its own.
Result<void> parse_with_words(std::span<const std::string_view> arguments,
                              std::span<const Option> table, void* target,
                              std::vector<std::string>& words, bool program = false);

// Setters for plain members: .set = set_text<&RunOptions::workdir>. Where the member is of a base
// of the table's target, they are told the target: set_flag<&ImageOptions::help, ImageOptions>.
template <typename T>
struct MemberOf;
template <typename Class, typename Type>
struct MemberOf<Type Class::*> {
  using Owner = Class;
};

template <auto Member, typename Target = typename MemberOf<decltype(Member)>::Owner>
Result<void> set_flag(void* target, std::string_view) {
  static_cast<Target*>(target)->*Member = true;
  return {};
}

template <auto Member>
Result<void> set_text(void* target, std::string_view value) {
  static_cast<typename MemberOf<decltype(Member)>::Owner*>(target)->*Member = value;
  return {};
}

// .set = set_parsed<&RunOptions::memory, parse_size>.
template <auto Member, auto Parse, typename Target = typename MemberOf<decltype(Member)>::Owner>
Result<void> set_parsed(void* target, std::string_view value) {
  ATOLL_TRY(auto parsed, Parse(value));
  static_cast<Target*>(target)->*Member = std::move(parsed);
  return {};
}

template <auto Member>
Result<void> add_text(void* target, std::string_view value) {
  (static_cast<typename MemberOf<decltype(Member)>::Owner*>(target)->*Member).emplace_back(value);
  return {};
}

}  // namespace atl::cli
