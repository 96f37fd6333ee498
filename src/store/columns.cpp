#include "store/columns.hpp"

namespace atl::store::detail {

bool is_storable_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && is_utf8(text);
}

std::string prose(std::string_view text) {
  std::string out;
  for (char byte : to_utf8(text)) {
    if (byte == '\0') {
      out += "\xef\xbf\xbd";
    } else {
      out += byte;
    }
  }
  return out;
}

std::unexpected<Error> bad_column(const char* name) {
  return fail(Code::kInvalidArgument,
              std::string(name) + " must be UTF-8 text without NUL characters");
}

}  // namespace atl::store::detail
