#include "codec/names.hpp"

#include <cstddef>

namespace atl::codec {

namespace {

// Not std::toupper: that one depends on the locale.
char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
}
char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

}  // namespace

std::string member_name(std::string_view name, bool camel_case) {
  if (name.ends_with('_')) name.remove_suffix(1);
  if (!camel_case) return std::string(name);
  std::string out;
  bool raise = false;
  for (char letter : name) {
    if (letter == '_') {
      raise = true;
      continue;
    }
    out += raise ? upper(letter) : letter;
    raise = false;
  }
  return out;
}

std::string enumerator_name(std::string_view name) {
  if (name.size() > 1 && name[0] == 'k' && name[1] == upper(name[1])) name.remove_prefix(1);
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    bool capital = name[i] != lower(name[i]);
    if (capital && i > 0) out += '_';
    out += lower(name[i]);
  }
  return out;
}

}  // namespace atl::codec
