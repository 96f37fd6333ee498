#include "cli/core/document.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

bool is_nested(const value& one) { return one.is_object() || one.is_array(); }

// Words that YAML 1.1 or 1.2 readers take for something else than text.
bool is_word_of_yaml(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kWords{
      "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "~"};
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return std::ranges::find(kWords, lower) != kWords.end();
}

// Letters, digits and a few signs, beginning with a letter or a slash: that is text everywhere.
bool is_plain(std::string_view text) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > 200 || text.back() == ' ' || is_word_of_yaml(text))
    return false;
  if (!is_letter(text[0]) && text[0] != '/') return false;
  return std::ranges::all_of(text, [&](char c) {
    bool digit = c >= '0' && c <= '9';
    return is_letter(c) || digit ||
           std::string_view("_-./+ ,;()").find(c) != std::string_view::npos;
  });
}

std::string key_text(boost::json::string_view key) {
  std::string_view text(key.data(), key.size());
  return scalar_text(boost::json::string(text));
}

void put(std::string& out, const value& one, std::size_t indent);

void put_members(std::string& out, const object& members, std::size_t indent, bool inline_first) {
  bool first = inline_first;
  for (const auto& member : members) {
    if (!first) out.append(indent, ' ');
    first = false;
    out += key_text(member.key()) + ":";
    put(out, member.value(), indent);
  }
}

// Behind "key:" or alone; ends with a newline.
void put(std::string& out, const value& one, std::size_t indent) {
  const object* members = one.if_object();
  const array* items = one.if_array();
  if ((members != nullptr && members->empty()) || (items != nullptr && items->empty())) {
    out += members != nullptr ? " {}\n" : " []\n";
  } else if (members != nullptr) {
    out += '\n';
    put_members(out, *members, indent + 2, false);
  } else if (items != nullptr) {
    out += '\n';
    for (const value& item : *items) {
      out.append(indent, ' ');
      out += '-';
      const object* inner = item.if_object();
      if (inner != nullptr && !inner->empty()) {
        out += ' ';
        put_members(out, *inner, indent + 2, true);
      } else {
        put(out, item, indent + 2);
      }
    }
  } else {
    out += " " + scalar_text(one) + "\n";
  }
}

}  // namespace

std::string scalar_text(const value& one) {
  const boost::json::string* text = one.if_string();
  if (text != nullptr && is_plain({text->data(), text->size()})) {
    return {text->data(), text->size()};
  }
  if (one.is_double()) {
    std::array<char, 32> digits;
    auto end = std::to_chars(digits.data(), digits.data() + digits.size(), one.get_double()).ptr;
    return {digits.data(), end};
  }
  return codec::serialize(one);  // what JSON writes is YAML too
}

void write_value(JsonWriter& json, const value& one) {
  if (const object* members = one.if_object()) {
    json.begin_object();
    for (const auto& member : *members) {
      json.key({member.key().data(), member.key().size()});
      write_value(json, member.value());
    }
    json.end_object();
  } else if (const array* items = one.if_array();
             items != nullptr && std::ranges::any_of(*items, is_nested)) {
    json.begin_array();
    for (const value& item : *items) write_value(json, item);
    json.end_array();
  } else {
    json.json(codec::serialize(one));
  }
}

std::string json_text(const value& one, bool pretty) {
  if (!pretty) return codec::serialize(one) + "\n";
  JsonWriter json(true);
  write_value(json, one);
  return std::move(json).finish();
}

std::string yaml_text(const value& one) {
  std::string out;
  const object* members = one.if_object();
  if (members != nullptr && !members->empty()) {
    put_members(out, *members, 0, true);
    return out;
  }
  put(out, one, 0);
  return out.substr(out.starts_with(' ') || out.starts_with('\n') ? 1 : 0);
}

}  // namespace atl::cli
