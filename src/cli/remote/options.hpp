// What can be said to the commands that talk to a server: one set of values, one table a command.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/console.hpp"
#include "cli/core/format.hpp"
#include "cli/core/option.hpp"
#include "cli/run/network_options.hpp"

namespace atl::cli {

struct RemoteOptions {
  std::string server;  // empty: ATOLL_SERVER, then this machine
  std::string key;     // empty: ATOLL_KEY, then what ./dev up left
  std::string ca_file;
  DocumentFormat output = DocumentFormat::kTable;
  ColorMode color = ColorMode::kAuto;
  bool help = false;

  std::vector<std::string> labels;  // NAME=VALUE
  std::vector<std::string> states;
  std::string template_id;
  std::vector<std::string> env;  // K=V or K
  std::string workdir;
  std::optional<std::chrono::milliseconds> timeout;

  bool all = false;
  bool quiet = false;
  bool yes = false;
  bool replace = false;
  std::uint64_t limit = 1000;
  std::string set_file;

  std::string session;  // instead of a new one
  std::string test_file;
  std::string cases_file;
  bool coverage = false;

  std::string session_key;
  std::string snapshot;
  bool network = false;
  NetworkOptions rules;
  bool no_wait = false;
  std::optional<std::chrono::milliseconds> idle_timeout;
  std::optional<std::uint64_t> memory;
  std::optional<std::uint64_t> cpu_milli;
  std::optional<std::uint64_t> disk;
  std::optional<std::uint64_t> pids;

  std::string language;
  std::string context;
  std::optional<std::string> code;
  std::string command;
  bool interactive = false;
  bool detach = false;
  bool follow = false;

  bool reject = false;
  std::string reason;

  std::string data;               // of the server that `atoll mcp` starts
  std::vector<std::string> sets;  // PATH=VALUE, for the same

  std::vector<std::string> words;  // what is no option
};

std::span<const Option> ps_option_table();
std::span<const Option> create_option_table();
std::span<const Option> exec_option_table();
std::span<const Option> shell_option_table();
std::span<const Option> cp_option_table();
std::span<const Option> logs_option_table();
std::span<const Option> rm_option_table();
std::span<const Option> template_option_table();
std::span<const Option> secret_option_table();
std::span<const Option> network_option_table();
std::span<const Option> approve_option_table();
std::span<const Option> test_option_table();
std::span<const Option> tenant_option_table();
std::span<const Option> audit_option_table();
std::span<const Option> mcp_option_table();

// Options may stand before, between and after the words. Of a command that runs a program
// (`program`), the options end before its second word. On failure `options` holds what had been
// read.
Result<void> parse_remote_options(std::span<const std::string_view> arguments,
                                  std::span<const Option> table, bool program,
                                  RemoteOptions& options);

}  // namespace atl::cli
