#include "api/rest/body_checks.hpp"

#include "api/limits.hpp"

namespace atl::api::rest {

Answer<void> check_text(const std::optional<std::string>& text, const std::string& at,
                        std::size_t longest) {
  if (text && text->size() > longest) {
    return refuse_field(at, "is longer than " + std::to_string(longest) + " bytes");
  }
  return {};
}

Answer<void> check_seconds(const std::optional<std::uint64_t>& seconds, const std::string& at) {
  if (seconds && (*seconds == 0 || *seconds > kMaxSeconds)) {
    return refuse_field(at, "must be from 1 to " + std::to_string(kMaxSeconds) + " seconds");
  }
  return {};
}

Answer<void> check_map(const std::optional<std::map<std::string, std::string>>& map,
                       const std::string& at, std::size_t longest) {
  if (!map) return {};
  if (map->size() > kMaxEntries) {
    return refuse_field(at, "has more than " + std::to_string(kMaxEntries) + " members");
  }
  for (const auto& [name, value] : *map) {
    if (name.empty() || name.size() > kMaxName) {
      return refuse_field(at, "has a name that is empty or too long");
    }
    ATOLL_CHECK(check_text(value, at + "/" + pointer_segment(name), longest));
  }
  return {};
}

Answer<void> check_environment(const std::optional<std::map<std::string, std::string>>& map,
                               const std::string& at) {
  ATOLL_CHECK(check_map(map, at, kMaxValue));
  if (!map) return {};
  for (const auto& [name, value] : *map) {
    bool has_nul = name.find('\0') != name.npos || value.find('\0') != value.npos;
    if (has_nul || name.find('=') != name.npos) {
      return refuse_field(at + "/" + pointer_segment(name), "cannot be in an environment");
    }
  }
  return {};
}

std::string pointer_segment(std::string_view name) {
  std::string out;
  for (char letter : name) {
    if (letter == '~') {
      out += "~0";
    } else if (letter == '/') {
      out += "~1";
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace atl::api::rest
