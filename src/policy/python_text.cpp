#include "policy/python_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/utf8.hpp"
#include "codec/base64.hpp"

namespace atl::policy {
namespace {

void add_letter(std::string& text, std::uint32_t letter) {
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xC0 | (letter >> 6));
    text += static_cast<char>(0x80 | (letter & 0x3F));
  } else if (letter < 0x10000) {
    text += static_cast<char>(0xE0 | (letter >> 12));
    text += static_cast<char>(0x80 | ((letter >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (letter & 0x3F));
  }
}

// Digits of `base` at `at`, at most `most` of them; the number of those that are there.
std::size_t digits(std::string_view text, std::size_t at, std::size_t most, int base,
                   std::uint32_t& value) {
  std::string_view part = text.substr(at, most);
  auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value, base);
  return error == std::errc() ? static_cast<std::size_t>(end - part.data()) : 0;
}

std::optional<std::string> from_hex(std::string_view hex) {
  std::string bytes;
  std::string packed;
  for (char c : hex) {
    if (c != ' ') packed += c;
  }
  if (packed.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < packed.size(); i += 2) {
    std::uint32_t value = 0;
    if (digits(packed, i, 2, 16, value) != 2) return std::nullopt;
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string rotated(std::string text) {
  for (char& c : text) {
    bool lower = c >= 'a' && c <= 'z';
    if (!lower && !(c >= 'A' && c <= 'Z')) continue;
    char base = lower ? 'a' : 'A';
    c = static_cast<char>(base + (c - base + 13) % 26);
  }
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
    if (text.size() > kMaxText) return {};
  }
  return text;
}

std::string formatted(std::string text, std::array<const std::string*, 2> values) {
  std::size_t at = 0;
  for (const std::string* value : values) {
    if (value == nullptr) break;
    at = text.find("{}", at);
    if (at == std::string::npos) break;
    text.replace(at, 2, *value);
    at += value->size();
  }
  return text;
}

}  // namespace

bool string_is_raw(std::string_view literal) {
  std::string_view prefix = literal.substr(0, literal.find_first_of("'\""));
  return prefix.find_first_of("rR") != std::string_view::npos;
}

std::string unescaped(std::string_view content, bool raw) {
  if (raw || content.find('\\') == std::string_view::npos) return std::string(content);
  std::string text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '\\' || i + 1 == content.size()) {
      text += content[i];
      continue;
    }
    char c = content[++i];
    std::uint32_t value = 0;
    std::size_t width = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (width != 0) {
      std::size_t braces = content.substr(i + 1, 1) == "{" ? 1 : 0;  // \u{65} of JavaScript
      std::size_t used = digits(content, i + 1 + braces, braces != 0 ? 6 : width, 16, value);
      add_letter(text, value);
      i += used + 2 * braces;
    } else if (c >= '0' && c <= '7') {
      i += digits(content, i, 3, 8, value) - 1;
      add_letter(text, value);
    } else if (c == 'n' || c == 't' || c == 'r') {
      text += c == 'n' ? '\n' : c == 't' ? '\t' : '\r';
    } else if (c != '\n') {
      text += c;
    }
  }
  return text;
}

std::optional<std::string> letter_of(std::string_view number) {
  int base = number.starts_with("0x") || number.starts_with("0X") ? 16 : 10;
  if (base == 16) number.remove_prefix(2);
  std::uint32_t value = 0;
  if (number.empty() || digits(number, 0, 7, base, value) != number.size()) return std::nullopt;
  std::string letter;
  add_letter(letter, value);
  return letter;
}

std::optional<std::string> method_text(const std::string& text, std::string_view name,
                                       const std::string* first, const std::string* second) {
  static constexpr std::array kSame{"encode", "strip", "lstrip", "rstrip", "tobytes", "toString"};
  if (std::ranges::find(kSame, name) != kSame.end()) return text;
  if (name == "decode") return first != nullptr && first->starts_with("rot") ? rotated(text) : text;
  if (name == "lower" || name == "casefold" || name == "swapcase" || name == "toLowerCase") {
    std::string changed = text;
    bool swap = name == "swapcase";
    for (char& c : changed) {
      auto letter = static_cast<unsigned char>(c);
      c = static_cast<char>(swap && std::islower(letter) != 0 ? std::toupper(letter)
                                                              : std::tolower(letter));
    }
    return changed;
  }
  if (name == "replace" && first != nullptr && second != nullptr) {
    return replaced(text, *first, *second);
  }
  if (name == "format" && first != nullptr) return formatted(text, {first, second});
  if (name == "concat" && first != nullptr) return text + *first;
  return std::nullopt;
}

std::optional<std::string> called_text(std::string_view path, const Values& first,
                                       const Node& argument) {
  if (path == "chr" || path == "String.fromCharCode") return letter_of(argument.text());
  if (first.empty() || !first.front().is_text()) return std::nullopt;
  const std::string& text = first.front().text;
  if (path == "str" || path == "bytes" || path == "String" || path == "bytearray") return text;
  if (path == "base64.b64decode" || path == "base64.standard_b64decode" || path == "atob") {
    return codec::from_base64(text);
  }
  if (path == "bytes.fromhex" || path == "bytearray.fromhex" || path == "binascii.unhexlify") {
    return from_hex(text);
  }
  if (path == "codecs.decode") return rotated(text);
  return std::nullopt;
}

}  // namespace atl::policy
