// The text of a JSON value, with numbers as people write them: 0.5 where Boost.JSON has 5E-1.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::codec {

namespace {

bool stands_for_itself(char letter) {
  return static_cast<unsigned char>(letter) >= 0x20 && letter != '"' && letter != '\\';
}

void add_escape(std::string& out, char letter) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (letter) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(letter) >> 4];
      out += kDigits[static_cast<unsigned char>(letter) & 15];
  }
}

void add_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (stands_for_itself(text[at])) continue;
    out += text.substr(begin, at - begin);
    add_escape(out, text[at]);
    begin = at + 1;
  }
  out += text.substr(begin);
  out += '"';
}

void add_number(std::string& out, auto number, auto... format) {
  std::array<char, 40> digits{};
  std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
  out.append(digits.data(), end.ptr);
}

void add_real(std::string& out, double number) {
  if (!std::isfinite(number)) {  // JSON has no word for it
    out += "null";
    return;
  }
  double size = std::abs(number);
  bool readable = number == 0 || (size >= 1e-6 && size < 1e16);
  add_number(out, number, readable ? std::chars_format::fixed : std::chars_format::scientific);
}

// No deeper than what was parsed, or than what this program builds.
// NOLINTNEXTLINE(misc-no-recursion)
void add_value(std::string& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: out += "null"; break;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
    case boost::json::kind::int64: add_number(out, value.get_int64()); break;
    case boost::json::kind::uint64: add_number(out, value.get_uint64()); break;
    case boost::json::kind::double_: add_real(out, value.get_double()); break;
    case boost::json::kind::string: {
      const boost::json::string& text = value.get_string();
      add_string(out, std::string_view(text.data(), text.size()));
      break;
    }
    case boost::json::kind::array: {
      out += '[';
      std::string_view comma;
      for (const boost::json::value& item : value.get_array()) {
        out += comma;
        comma = ",";
        add_value(out, item);
      }
      out += ']';
      break;
    }
    case boost::json::kind::object: {
      out += '{';
      std::string_view comma;
      for (const auto& member : value.get_object()) {
        out += comma;
        comma = ",";
        add_string(out, std::string_view(member.key().data(), member.key().size()));
        out += ':';
        add_value(out, member.value());
      }
      out += '}';
      break;
    }
  }
}

}  // namespace

std::string serialize(const boost::json::value& value) {
  std::string out;
  add_value(out, value);
  return out;
}

}  // namespace atl::codec
