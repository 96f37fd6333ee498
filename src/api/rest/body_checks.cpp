#include "api/rest/body_checks.hpp"

#include "api/common/limits.hpp"
#include "base/environment_name.hpp"

namespace atl::api::rest {

Answer<void> check_text(const std::optional<std::string>& text, const std::string& at,
                        std::size_t longest) {
  if (text && text->size() > longest) {
    return refuse_value(at, "is longer than " + std::to_string(longest) + " bytes");
  }
  if (text && text->find('\0') != text->npos) return refuse_value(at, "must not contain NUL bytes");
  return {};
}

Answer<void> check_seconds(const std::optional<std::uint64_t>& seconds, const std::string& at) {
  if (seconds && (*seconds == 0 || *seconds > kMaxSeconds)) {
    return refuse_value(at, "must be from 1 to " + std::to_string(kMaxSeconds) + " seconds");
  }
  return {};
}

Answer<void> check_map(const std::optional<StringMap>& map, const std::string& at,
                       std::size_t longest) {
  if (!map) return {};
  if (map->size() > kMaxEntries) {
    return refuse_value(at, "has more than " + std::to_string(kMaxEntries) + " members");
  }
  for (const auto& [name, value] : *map) {
    if (name.empty() || name.size() > kMaxName) {
      return refuse_value(at, "has a name that is empty or too long");
    }
    std::string field = at + "/" + pointer_segment(name);
    ATOLL_CHECK(check_text(name, field));
    ATOLL_CHECK(check_text(value, field, longest));
  }
  return {};
}

Answer<void> check_environment(const std::optional<StringMap>& map, const std::string& at) {
  for (const auto& [name, value] : map.value_or(StringMap())) {
    std::string field = at + "/" + pointer_segment(name.substr(0, kMaxEnvironmentName));
    if (!is_environment_name(name)) {
      return refuse_value(field,
                          "is no name of a variable: those have 1 to 256 bytes, no `=`, no blanks "
                          "and no control characters");
    }
    if (!is_environment_value(value)) return refuse_value(field, "must not contain NUL bytes");
  }
  return check_map(map, at, kMaxValue);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a body may be
Answer<void> check_no_nul(const boost::json::value& value, const std::string& at) {
  if (const auto* text = value.if_string()) return check_text(std::string(*text), at);
  if (const auto* members = value.if_object()) {
    for (const auto& [name, member] : *members) {
      std::string field = at + "/" + pointer_segment(name);
      ATOLL_CHECK(check_text(std::string(name), field));
      ATOLL_CHECK(check_no_nul(member, field));
    }
  } else if (const auto* items = value.if_array()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      ATOLL_CHECK(check_no_nul((*items)[i], at + "/" + std::to_string(i)));
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
