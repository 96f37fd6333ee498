// What every field means and may hold: one row each, in the order of the structs. The loader checks
// by it, and docs/configuration.md is made from it, so that neither can forget a field. The rules
// of `sandbox.backends.NAME` are in src/backends/NAME/config.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/checks.hpp"

namespace atl::config {

// Limits that fields in several tables share.
inline constexpr std::uint32_t kMaxRules = 1000;
inline constexpr std::uint64_t kMaxPath = 4095;
inline constexpr std::uint64_t kMaxUrl = 2048;
inline constexpr std::uint64_t kMaxKey = 4096;
inline constexpr std::uint64_t kMaxImage = 512;
inline constexpr std::uint64_t kMaxDomain = 255;
inline constexpr std::uint64_t kDay = 86400;

enum class Secret : std::uint8_t { kNo, kWhole, kPassword };  // kPassword: the one in a URL

struct Rule {
  std::string_view path;  // "server.limits.header_bytes"
  std::string_view says;  // one or two sentences
  // Numbers: the value. Texts, alone or in lists and maps: `most` bytes each.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint32_t items = 0;        // entries of a list or map
  Check check = nullptr;          // of every text
  std::string_view choices = {};  // texts with a closed set: "Always IfNotPresent Never"
  std::string_view unit = {};     // of numbers: "s", "bytes"
  Secret secret = Secret::kNo;
  bool later = false;  // taken and checked, but for a part that this version does not have
};

std::span<const Rule> sandbox_rules();
std::span<const Rule> server_rules();

// nullptr when there is none, which a test forbids.
const Rule* rule_of(std::string_view path);

}  // namespace atl::config
