// `atoll policy`: its options.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/console.hpp"
#include "cli/core/option.hpp"

namespace atl::cli {

enum class PolicyFormat { kText, kJson, kSarif };

struct PolicyOptions {
  std::string language;  // empty: by the name of the file, else python
  PolicyFormat output = PolicyFormat::kText;
  std::string fail_on;  // a level; empty: never
  std::string rules;    // a file of the operator's; empty: the shipped ones alone
  ColorMode color = ColorMode::kAuto;
  bool help = false;
  std::vector<std::string> words;
};

std::span<const Option> policy_option_table();
Result<void> parse_policy_options(std::span<const std::string_view> arguments,
                                  PolicyOptions& options);

}  // namespace atl::cli
