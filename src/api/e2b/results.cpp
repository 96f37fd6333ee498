#include "api/e2b/results.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/common/text.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::api::e2b {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::pair<std::string_view, std::string_view> kForms[] = {
    {"text/plain", "text"},
    {"text/html", "html"},
    {"text/markdown", "markdown"},
    {"image/svg+xml", "svg"},
    {"image/png", "png"},
    {"image/jpeg", "jpeg"},
    {"application/pdf", "pdf"},
    {"text/latex", "latex"},
    {"application/json", "json"},
    {"application/javascript", "javascript"},
    {"application/vnd.atoll.chart+json", "chart"}};

void put_escape(std::string& out, unsigned unit) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[unit >> shift & 15];
}

// `json` is UTF-8, as codec::serialize() writes it: bytes beyond ASCII are inside of strings only.
std::string ascii(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    auto byte = static_cast<unsigned char>(json[i]);
    if (byte < 0x80) {
      out += json[i++];
      continue;
    }
    std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    std::uint32_t letter = byte & (0x3Fu >> more);
    ++i;
    for (; more > 0 && i < json.size(); --more, ++i) {
      letter = letter << 6 | (static_cast<unsigned char>(json[i]) & 0x3Fu);
    }
    if (letter >= 0x10000) {
      put_escape(out, 0xD800 + ((letter - 0x10000) >> 10));
      put_escape(out, 0xDC00 + ((letter - 0x10000) & 0x3FF));
    } else {
      put_escape(out, letter);
    }
  }
  return out;
}

std::string line(const object& content) { return ascii(codec::serialize(content)) + "\n"; }

// A string shows itself without its quotes.
value plain(const value& one) {
  const boost::json::string* text = one.if_string();
  if (text == nullptr || text->size() < 2) return one;
  char first = text->front();
  if ((first != '\'' && first != '"') || text->back() != first) return one;
  return boost::json::string(text->data() + 1, text->size() - 2);
}

std::string text_of(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  const boost::json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

std::string traceback_of(const object& error) {
  const value* found = error.if_contains("traceback");
  const boost::json::array* lines = found != nullptr ? found->if_array() : nullptr;
  if (lines == nullptr) return text_of(error, "traceback");
  std::string all;
  for (const value& one : *lines) {
    if (!all.empty()) all += "\n";
    if (const boost::json::string* text = one.if_string()) all.append(text->data(), text->size());
  }
  return all;
}

}  // namespace

std::string result_line(bool is_main, std::string_view bundle) {
  object result{{"type", "result"}, {"is_main_result", is_main}};
  auto parsed = codec::parse(bundle, {.max_bytes = bundle.size() + 1, .max_depth = 128});
  const object* forms = parsed ? parsed->if_object() : nullptr;
  object extra;
  for (const auto& [type, content] : forms != nullptr ? *forms : object()) {
    std::string_view name;
    for (const auto& [known, as] : kForms) {
      if (known == type) name = as;
    }
    if (name.empty()) {
      extra[type] = content;
    } else {
      result[name] = name == "text" ? plain(content) : content;
    }
  }
  if (!extra.empty()) result["extra"] = std::move(extra);
  return line(result);
}

std::string error_line(std::string_view error) {
  auto parsed = codec::parse(error, {.max_bytes = error.size() + 1, .max_depth = 16});
  const object* members = parsed ? parsed->if_object() : nullptr;
  if (members == nullptr) return error_line("Error", error);
  return line({{"type", "error"},
               {"name", json_text(text_of(*members, "ename"))},
               {"value", json_text(text_of(*members, "evalue"))},
               {"traceback", json_text(traceback_of(*members))}});
}

std::string error_line(std::string_view name, std::string_view text) {
  return line({{"type", "error"},
               {"name", json_text(name)},
               {"value", json_text(text)},
               {"traceback", json_text(text)}});
}

std::string text_line(bool is_stdout, std::string_view text, model::Time at) {
  return line({{"type", is_stdout ? "stdout" : "stderr"},
               {"text", json_text(text)},
               {"timestamp", rfc3339(at)}});
}

std::string count_line(std::uint64_t count) {
  return line({{"type", "number_of_executions"}, {"execution_count", count}});
}

}  // namespace atl::api::e2b
