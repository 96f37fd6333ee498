#include "images/reference.hpp"

#include <algorithm>

namespace atl::images {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kMaxFileName = 240;  // of an encoded name: a file's is 255 with its suffix
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789._-";

bool made_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool valid_part(std::string_view part) {
  return made_of(part, kNameLetters) && is_alnum(part.front()) && is_alnum(part.back());
}

// The first part may be a registry with a port.
bool valid_repository(std::string_view text) {
  bool first = true;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find('/'));
    bool last = part.size() == text.size();
    text.remove_prefix(part.size() + (last ? 0 : 1));
    if (!last && text.empty()) return false;
    std::size_t colon = first && !last ? part.find(':') : std::string_view::npos;
    if (colon != std::string_view::npos) {
      if (!made_of(part.substr(colon + 1), "0123456789")) return false;
      part = part.substr(0, colon);
    }
    if (!valid_part(part)) return false;
    first = false;
  }
  return !first;
}

bool valid_tag(std::string_view tag) {
  auto fits = [](char c) {
    return is_alnum(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
  };
  return !tag.empty() && tag.size() <= 128 && std::ranges::all_of(tag, fits) &&
         tag.front() != '.' && tag.front() != '-';
}

}  // namespace

Result<std::string> parse_reference(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with("docker.io/")) {
    rest.remove_prefix(10);
    if (rest.starts_with("library/")) rest.remove_prefix(8);
  }
  std::string_view tag = "latest";
  // The colon of a tag stands after the last slash; one before it belongs to a port.
  std::size_t colon = rest.rfind(':');
  bool tagged = colon != std::string_view::npos && rest.find('/', colon) == std::string_view::npos;
  if (tagged) {
    tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  std::string name = std::string(rest).append(":").append(tag);
  bool fits = encode_reference(name).size() <= kMaxFileName;
  if (!fits || !valid_repository(rest) || !valid_tag(tag)) {
    return fail(Code::kInvalidArgument,
                "\"" + std::string(text.substr(0, 80)) +
                    "\" is no name for an image; one looks like python:3.12 or team/tool:v1, in "
                    "lower-case letters");
  }
  return name;
}

std::string encode_reference(std::string_view name) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string text;
  for (char c : name) {
    bool plain = kNameLetters.find(c) != std::string_view::npos || (c >= 'A' && c <= 'Z');
    if (plain && !(text.empty() && c == '.')) {
      text += c;
    } else {
      text += '%';
      text += kHex[static_cast<unsigned char>(c) >> 4];
      text += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return text;
}

bool is_sha256_hex(std::string_view text) { return text.size() == 64 && made_of(text, kDigits); }

std::string_view digest_hex(std::string_view digest) {
  constexpr std::string_view kPrefix = "sha256:";
  if (!digest.starts_with(kPrefix)) return {};
  digest.remove_prefix(kPrefix.size());
  return is_sha256_hex(digest) ? digest : std::string_view();
}

}  // namespace atl::images
