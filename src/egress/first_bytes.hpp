// What a client speaks, told from its first bytes. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl::egress {

enum class Speech {
  kUnknown,  // more bytes are needed
  kTls,
  kOldTls,  // SSLv2's hello, which names no server
  kHttp,
  kOpaque,
};

// `all` that came so far; port 80 is HTTP whatever comes.
Speech speech_of(std::string_view all, std::uint16_t port);

}  // namespace atl::egress
