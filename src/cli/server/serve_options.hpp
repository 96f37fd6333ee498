// What can be said to `atoll serve` and `atoll key`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/option.hpp"

namespace atl::cli {

struct ServeOptions {
  std::string listen;
  std::string data;
  std::string backend;
  std::string config;
  std::vector<std::string> sets;  // PATH=VALUE
  bool no_auth = false;
  bool temporary = false;
  bool help = false;
};

std::span<const Option> serve_option_table();
Result<void> parse_serve_options(std::span<const std::string_view> arguments,
                                 ServeOptions& options);

struct KeyOptions {
  std::string data;
  std::string store;  // URL; empty: SQLite in the data folder
  std::string role;   // empty: owner for the first key, else user
  std::string tenant = "default";
  std::string name;
  std::string policy;  // "high=ask,critical=deny"; empty: none
  std::string secret;
  bool e2b = false;
  bool json = false;
  bool help = false;
  std::vector<std::string> words;  // create, ls, revoke ID
};

std::span<const Option> key_option_table();
Result<void> parse_key_options(std::span<const std::string_view> arguments, KeyOptions& options);

}  // namespace atl::cli
