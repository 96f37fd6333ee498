// Where a value came from, and what is wrong with one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::config {

struct Origin {
  enum class Kind : std::uint8_t { kDefault, kFile, kEnvironment, kFlag };

  Kind kind = Kind::kDefault;
  std::string name;  // of the file, the variable or the flag
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  // "default", "/etc/atoll/config.json:12", "ATOLL_SERVER__LISTEN", "--listen".
  std::string to_string() const;
  // The same with the column, for problems.
  std::string place() const;
};

// Values are never part of it: they may be secrets.
struct Problem {
  Origin origin;
  std::string pointer;  // RFC 6901; empty: the whole source
  std::string detail;   // "must be true or false"

  // "config.json:3:5: /sandbox/enabled must be true or false".
  std::string to_string() const;
};

using Problems = std::vector<Problem>;

// One step deeper, escaped as RFC 6901 says. Characters that would disturb a terminal become '?'.
std::string pointer_to(const std::string& parent, const std::string& key);

}  // namespace atl::config
