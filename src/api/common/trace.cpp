#include "api/common/trace.hpp"

#include <sys/random.h>

#include <algorithm>

#include "api/common/text.hpp"

namespace atl::api {

namespace {

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
  });
}

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == text.npos; }

}  // namespace

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '.' || letter == '_' || letter == '-';
  });
}

std::optional<std::string> trace_id_of(std::string_view traceparent) {
  // version "-" trace "-" parent "-" flags; later versions may have more behind another hyphen.
  if (traceparent.size() < 55 || (traceparent.size() > 55 && traceparent[55] != '-')) {
    return std::nullopt;
  }
  std::string_view version = traceparent.substr(0, 2);
  std::string_view trace = traceparent.substr(3, 32);
  std::string_view parent = traceparent.substr(36, 16);
  bool good = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-' &&
              is_hex(version) && version != "ff" && is_hex(trace) && !is_zero(trace) &&
              is_hex(parent) && !is_zero(parent) && is_hex(traceparent.substr(53, 2)) &&
              (version != "00" || traceparent.size() == 55);
  if (!good) return std::nullopt;
  return std::string(trace);
}

std::string make_trace_id() {
  char bytes[16] = {};
  for (;;) {
    if (::getrandom(bytes, sizeof bytes, 0) == sizeof bytes) return hex({bytes, sizeof bytes});
  }
}

}  // namespace atl::api
