#include "codec/repeated.hpp"

#include <cstddef>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace atl::codec {

namespace {

// NOLINTNEXTLINE(misc-no-recursion): no deeper than the parser allows
std::size_t members_of(const boost::json::value& value) {
  std::size_t count = 0;
  if (const boost::json::array* items = value.if_array()) {
    for (const boost::json::value& item : *items) count += members_of(item);
  }
  if (const boost::json::object* members = value.if_object()) {
    count = members->size();
    for (const auto& member : *members) count += members_of(member.value());
  }
  return count;
}

// Behind the quotation mark that ends the string which began before `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (;;) {
    at = text.find_first_of("\"\\", at);
    if (at == std::string_view::npos) return text.size();
    if (text[at] == '"') return at + 1;
    at += 2;
  }
}

// In JSON every member has one colon, and no other colon stands outside a string.
std::size_t colons_of(std::string_view text) {
  std::size_t count = 0;
  std::size_t at = 0;
  while ((at = text.find_first_of("\":", at)) != std::string_view::npos) {
    if (text[at] == ':') {
      ++count;
      ++at;
    } else {
      at = behind_string(text, at + 1);
    }
  }
  return count;
}

}  // namespace

bool repeats_a_member(std::string_view text, const boost::json::value& value) {
  return colons_of(text) != members_of(value);
}

}  // namespace atl::codec
