// Everything that can be said to `atoll run`, as it was typed: parsed, not yet checked against the
// host and not yet opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/console.hpp"
#include "cli/core/option.hpp"
#include "cli/run/network_options.hpp"
#include "model/default_backend.hpp"

namespace atl::cli {

enum class OutputFormat { kText, kJson };

struct RunOptions {
  std::string language;
  std::optional<std::string> code;

  std::optional<std::uint64_t> memory;
  std::optional<std::uint64_t> cpu_milli;
  std::optional<std::uint64_t> pids;
  std::optional<std::uint64_t> disk;
  std::optional<std::uint64_t> inodes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> max_output;
  std::optional<std::chrono::milliseconds> timeout;

  std::vector<std::string> env;  // K=V or K
  std::vector<std::string> env_files;
  std::vector<std::string> mounts;  // SRC:DST[:ro|rw]
  std::string workdir;
  std::string hostname = "atoll";
  std::vector<std::string> deny_read;
  std::vector<std::string> allow_write;
  std::vector<std::string> deny_write;
  bool writable_root = false;
  NetworkOptions network;
  std::string backend = model::kDefaultBackend;
  std::string image;                   // empty: the host's own system folders
  std::optional<std::string> preload;  // modules, separated by commas

  bool interactive = false;
  bool terminal = false;
  OutputFormat output = OutputFormat::kText;
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;
  bool verbose = false;
  bool help = false;

  std::vector<std::string> arguments;  // what stands after the options
  bool separated = false;              // a "--" stood before them
};

std::span<const Option> run_option_table();

// On failure `options` holds what had been read, so that the caller knows how to report.
Result<void> parse_run_options(std::span<const std::string_view> arguments, RunOptions& options);

// Shared by the commands that have them.
Result<OutputFormat> parse_output_format(std::string_view value);
Result<ColorMode> parse_color_mode(std::string_view value);

}  // namespace atl::cli
