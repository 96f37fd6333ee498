// Writing the heads of messages. Internal to http/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace atl::http {

enum class Persistence { kDefault, kKeepAlive, kClose };

struct ResponseHead {
  int status = 200;
  const Headers* headers = nullptr;
  const Headers* more = nullptr;  // those that `headers` does not have
  std::optional<std::uint64_t> length = std::nullopt;
  bool chunked = false;
  Persistence persistence = Persistence::kDefault;
};

// Framing and Connection are decided here: fields of these names are left out.
void append_head(std::string& out, const ResponseHead& head);
void append_fields(std::string& out, const Headers& headers);
void append_field(std::string& out, std::string_view name, std::string_view value);
// The value of Date, for now.
std::string_view date_now();

}  // namespace atl::http
