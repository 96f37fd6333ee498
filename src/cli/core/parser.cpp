#include <algorithm>
#include <string>

#include "cli/core/option.hpp"
#include "cli/core/suggest.hpp"

namespace atl::cli {
namespace {

const Option* find_long(std::span<const Option> table, std::string_view name) {
  for (const Option& option : table) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

const Option* find_short(std::span<const Option> table, char name) {
  for (const Option& option : table) {
    if (option.short_name != 0 && option.short_name == name) return &option;
  }
  return nullptr;
}

std::unexpected<Error> unknown(std::string_view typed, std::span<const Option> table) {
  std::string message = "there is no option " + std::string(typed);
  if (typed.starts_with("--")) {
    Suggestion best(typed.substr(2));
    for (const Option& option : table) best.offer(option.name);
    if (!best.empty()) message += "; did you mean --" + std::string(best.word()) + "?";
  }
  return fail(Code::kInvalidArgument, std::move(message));
}

// A value that really starts so is written --name=-value or -n-value. Numbers are left to the
// setter, which knows whether they may be negative.
bool looks_like_option(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9');
}

// Adds which option a setter complained about.
Result<void> apply(const Option& option, std::string_view typed, std::string_view value,
                   void* target) {
  Result<void> result = option.set(target, value);
  if (result) return result;
  std::string message(typed);
  if (!option.argument.empty()) {
    message += ' ';
    message += value.substr(0, 80);
  }
  message += ": " + result.error().message();
  return fail(result.error().code(), std::move(message));
}

class Parser {
 public:
  Parser(std::span<const std::string_view> arguments, std::span<const Option> table, void* target)
      : arguments_(arguments), table_(table), target_(target) {}

  Result<ParseResult> run() {
    while (next_ < arguments_.size()) {
      std::string_view argument = arguments_[next_];
      if (argument == "--") return ParseResult{.rest = next_ + 1, .separated = true};
      if (argument.size() < 2 || argument[0] != '-') break;
      ++next_;
      ATOLL_CHECK(argument[1] == '-' ? long_option(argument) : short_options(argument));
    }
    return ParseResult{.rest = next_};
  }

 private:
  Result<void> long_option(std::string_view argument) {
    std::size_t equals = argument.find('=');
    std::string_view typed = argument.substr(0, equals);
    const Option* option = find_long(table_, typed.substr(2));
    if (option == nullptr) return unknown(typed, table_);
    if (equals == std::string_view::npos) return with_next(*option, typed);
    if (option->argument.empty()) {
      return fail(Code::kInvalidArgument, std::string(typed) + " takes no value");
    }
    return apply(*option, typed, argument.substr(equals + 1), target_);
  }

  Result<void> short_options(std::string_view argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      std::string typed{'-', argument[i]};
      const Option* option = find_short(table_, argument[i]);
      if (option == nullptr) return unknown(typed, table_);
      if (!option->argument.empty() && i + 1 < argument.size()) {
        return apply(*option, typed, argument.substr(i + 1), target_);
      }
      ATOLL_CHECK(with_next(*option, typed));
    }
    return {};
  }

  Result<void> with_next(const Option& option, std::string_view typed) {
    if (option.argument.empty()) return apply(option, typed, {}, target_);
    if (next_ == arguments_.size() || looks_like_option(arguments_[next_])) {
      return fail(Code::kInvalidArgument,
                  std::string(typed) + " needs a value: " + std::string(option.argument));
    }
    return apply(option, typed, arguments_[next_++], target_);
  }

  std::span<const std::string_view> arguments_;
  std::span<const Option> table_;
  void* target_;
  std::size_t next_ = 0;
};

}  // namespace

Result<ParseResult> parse_options(std::span<const std::string_view> arguments,
                                  std::span<const Option> table, void* target) {
  return Parser(arguments, table, target).run();
}

Result<void> parse_with_words(std::span<const std::string_view> arguments,
                              std::span<const Option> table, void* target,
                              std::vector<std::string>& words, bool program) {
  for (std::span rest = arguments; !rest.empty();) {
    ATOLL_TRY(ParseResult parsed, parse_options(rest, table, target));
    rest = rest.subspan(parsed.rest);
    bool all = parsed.separated || (program && !words.empty());
    std::size_t count = all ? rest.size() : std::min<std::size_t>(rest.size(), 1);
    words.insert(words.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace atl::cli
