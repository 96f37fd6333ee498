// What can be said to `atoll image`: one table for all of its sub-commands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/common_options.hpp"
#include "model/default_backend.hpp"

namespace atl::cli {

struct ImageOptions : CommonOptions {
  std::string name;
  std::string backend = model::kDefaultBackend;
  std::optional<std::uint64_t> max_size;
  bool quiet = false;
  std::vector<std::string> words;  // the sub-command and what it is about
};

std::span<const Option> image_option_table();

// Options may stand before, between and after the words. On failure `options` holds what had been
// read.
Result<void> parse_image_options(std::span<const std::string_view> arguments,
                                 ImageOptions& options);

}  // namespace atl::cli
