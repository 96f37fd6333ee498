// What control is asked for: plain data, whatever protocol it came in. Times are in seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>

#include "control/network_request.hpp"
#include "model/session.hpp"

namespace atl::control {

inline constexpr std::chrono::seconds kCreateWait{120};  // for a sandbox, where nobody says

// Absent members keep what the template says, or the defaults of contract §2.
struct ConfigRequest {
  std::optional<std::uint64_t> timeout_seconds;
  std::optional<std::uint64_t> idle_timeout_seconds;
  std::optional<bool> allow_network;
  std::optional<NetworkRequest> network;  // instead of allow_network
  std::map<std::string, std::string> environment;
  model::Resources resources;
  bool capped = false;  // more than the template has is what it has, instead of kInvalidValue
  bool pause_on_timeout = false;  // when the lifetime is over, instead of the end
};

struct CreateRequest {
  std::string template_id;  // empty: python-default
  std::string session_key;  // the same key gives the same live session (mode per-session)
  ConfigRequest config;
  std::map<std::string, std::string> labels;
  std::string metadata_json = "{}";  // an object
  std::string snapshot_id;           // files to begin with
  bool one_shot = false;             // after a crash nobody asks for it: it is not found again
  bool apart = false;                // of the server's own: it has no key, whatever the mode
  bool stored_late = false;  // with its only execution's result: nobody is told of it before
  std::optional<std::chrono::seconds> wait;  // until it is ready, but no longer than this
};

inline constexpr std::size_t kMaxLabels = 256;  // of a session

// Absent: unchanged.
struct ChangeRequest {
  std::optional<std::map<std::string, std::string>> labels;
  // Then, one by one: a new value, or none to remove the label.
  std::map<std::string, std::optional<std::string>> label_changes = {};
  std::optional<std::string> metadata_json;
  std::optional<std::uint64_t> timeout_seconds;  // the lifetime, counted from `ready`
  std::optional<std::uint64_t> idle_timeout_seconds;
};

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
};
BOOST_DESCRIBE_STRUCT(TerminalSize, (), (rows, cols))

struct ExecuteRequest {
  std::optional<std::string> code;  // this, or a command
  std::string language;             // of the code; empty: the template's
  std::string shell_command;        // one string for `sh -c`
  std::string shell_start;          // instead: text for `sh -c`, whose $1 is the command
  std::vector<std::string> argv;
  std::string context;  // id; "default": the language's own, opened when first used; empty: none
  std::string cwd;
  std::map<std::string, std::string> env;
  std::optional<std::string> stdin_data;
  bool stdin_open = false;                        // more comes through write_stdin()
  std::optional<double> timeout;                  // absent: as configured; 0: the longest there is
  std::optional<std::uint64_t> max_output_bytes;  // of each stream; absent: as configured
  bool track_files = false;
  // On a pseudo terminal: all output is stdout, and input is open until it ends. Not for code.
  std::optional<TerminalSize> terminal;
  std::string label;  // of a program, to find it in Executions::programs()
};
// As stored_request.hpp writes it.
BOOST_DESCRIBE_STRUCT(ExecuteRequest, (),
                      (code, language, shell_command, shell_start, argv, context, cwd, env,
                       stdin_data, stdin_open, timeout, max_output_bytes, track_files, terminal,
                       label))

struct OpenContextRequest {
  std::string language;
  std::string cwd;
  std::map<std::string, std::string> env;
};

}  // namespace atl::control
