#include "api/common/prefer.hpp"

#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"

namespace atl::api {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view take(std::string_view& text, char until) {
  std::size_t at = text.find(until);
  std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return trimmed(part);
}

// Whether these parameters of a type say q=0: not this one.
bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = take(parameters, ';');
    if (!http::same_name(take(value, '='), "q")) continue;
    value = trimmed(value);
    return value.starts_with('0') && value.find_first_not_of("0.") == value.npos;
  }
  return false;
}

}  // namespace

Prefer parse_prefer(const http::Headers& headers) {
  for (const http::Headers::Field& field : headers) {
    if (!http::same_name(field.name, "prefer")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view element = take(rest, ',');
      std::string_view preference = take(element, ';');
      std::string_view name = take(preference, '=');
      if (!http::same_name(name, "wait")) continue;
      std::string_view value = trimmed(preference);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      if (value.empty()) return {.wait = true};
      auto seconds = to_number(value);
      if (!seconds) continue;
      auto most = static_cast<std::uint64_t>(kMaxWait.count());
      return {.wait = true, .seconds = std::chrono::seconds(std::min(*seconds, most))};
    }
  }
  return {};
}

bool accepts(const http::Headers& headers, std::string_view type) {
  for (const http::Headers::Field& field : headers) {
    if (!http::same_name(field.name, "accept")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view element = take(rest, ',');
      if (http::same_name(take(element, ';'), type)) return !is_refused(element);
    }
  }
  return false;
}

}  // namespace atl::api
