#include "model/image_name.hpp"

#include <algorithm>

namespace atl::model {
namespace {

constexpr std::size_t kMaxName = 255;  // without tag and digest

bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter(char c) { return is_small(c) || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// "a.b__c-d": between letters one dot, one or two underscores, or dashes.
bool is_part(std::string_view part) {
  if (part.empty() || !is_small(part.front()) || !is_small(part.back())) return false;
  for (std::size_t i = 0; i < part.size();) {
    std::size_t end = i;
    while (!is_small(part[end])) ++end;
    std::string_view between = part.substr(i, end - i);
    bool dashes = between.find_first_not_of('-') == between.npos;
    if (!dashes && between != "." && between != "_" && between != "__") return false;
    i = end + 1;
  }
  return true;
}

// A first part is a host when it looks like one.
bool is_host(std::string_view part) {
  std::size_t colon = part.find(':');
  std::string_view port = colon == part.npos ? "0" : part.substr(colon + 1);
  std::string_view name = part.substr(0, colon);
  auto fits = [](char c) { return is_letter(c) || c == '.' || c == '-'; };
  return !name.empty() && is_letter(name.front()) && is_letter(name.back()) &&
         std::ranges::all_of(name, fits) && name.find("..") == name.npos && !port.empty() &&
         std::ranges::all_of(port, is_digit);
}

bool is_tag(std::string_view tag) {
  auto fits = [](char c) { return is_letter(c) || c == '_' || c == '.' || c == '-'; };
  return !tag.empty() && tag.size() <= 128 && tag.front() != '.' && tag.front() != '-' &&
         std::ranges::all_of(tag, fits);
}

bool is_digest(std::string_view digest) {
  constexpr std::string_view kPrefix = "sha256:";
  return digest.starts_with(kPrefix) && digest.size() == kPrefix.size() + 64 &&
         std::ranges::all_of(digest.substr(kPrefix.size()), is_hex);
}

}  // namespace

bool is_image_name(std::string_view text) {
  std::size_t at = text.find('@');
  if (at != text.npos && !is_digest(text.substr(at + 1))) return false;
  text = text.substr(0, at);
  std::size_t colon = text.rfind(':');
  if (colon != text.npos && text.find('/', colon) == text.npos) {
    if (!is_tag(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  }
  if (text.size() > kMaxName) return false;
  std::size_t slash = text.find('/');
  std::string_view first = text.substr(0, slash);
  bool looks_like_host = first.find_first_of(".:") != first.npos || first == "localhost" ||
                         std::ranges::any_of(first, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (slash != text.npos && looks_like_host) {
    if (!is_host(first)) return false;
    text = text.substr(slash + 1);
  }
  for (;;) {
    slash = text.find('/');
    if (!is_part(text.substr(0, slash))) return false;
    if (slash == text.npos) return true;
    text = text.substr(slash + 1);
  }
}

}  // namespace atl::model
