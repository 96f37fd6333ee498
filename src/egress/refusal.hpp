// What a refused client gets to read: a TLS alert, or an HTTP answer with one sentence. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egress/http_requests.hpp"
#include "egress/protocol.hpp"

namespace atl::egress {

enum class TlsAlert : std::uint8_t {
  kAccessDenied = 49,
  kDecodeError = 50,
  kUnrecognizedName = 112,
};

std::string alert_bytes(TlsAlert alert);
TlsAlert alert_for(Reason reason);

// "example.org is not in this session's allowed domains".
std::string sentence_for(Reason reason, std::string_view name, std::uint16_t port,
                         std::string_view detail);
// The whole answer; the connection ends behind it.
std::string http_answer(HttpRefusal refusal, std::string_view sentence);
Reason reason_of(HttpRefusal refusal);

}  // namespace atl::egress
