#include "egress/refusal.hpp"

namespace atl::egress {

namespace {

std::string_view phrase(HttpRefusal refusal) {
  switch (refusal) {
    case HttpRefusal::kMalformed: return "400 Bad Request";
    case HttpRefusal::kDenied: return "403 Forbidden";
    case HttpRefusal::kMethod: return "405 Method Not Allowed";
    case HttpRefusal::kOtherHost: return "421 Misdirected Request";
    case HttpRefusal::kTooLarge: return "431 Request Header Fields Too Large";
    case HttpRefusal::kUpstream: return "502 Bad Gateway";
  }
  return "403 Forbidden";
}

}  // namespace

std::string alert_bytes(TlsAlert alert) {
  return {0x15, 0x03, 0x01, 0x00, 0x02, 0x02, static_cast<char>(alert)};
}

TlsAlert alert_for(Reason reason) {
  switch (reason) {
    case Reason::kNameMismatch: return TlsAlert::kUnrecognizedName;
    case Reason::kMalformed: return TlsAlert::kDecodeError;
    default: return TlsAlert::kAccessDenied;
  }
}

std::string sentence_for(Reason reason, std::string_view name, std::uint16_t port,
                         std::string_view detail) {
  std::string who = name.empty() ? "this host" : std::string(name);
  switch (reason) {
    case Reason::kNameDenied: return who + " is not in this session's allowed domains";
    case Reason::kPortDenied:
      return "port " + std::to_string(port) + " of " + who + " is not allowed in this session";
    case Reason::kNotPublic:
      return who + " resolves to " + std::string(detail) + ", which is not a public address";
    case Reason::kNameMismatch:
      return "this connection is for " + who + ", and the request is for another host";
    case Reason::kBytesUsedUp: return "this session has sent and received as many bytes as it may";
    case Reason::kMethodRefused: return "this method is not allowed";
    case Reason::kMalformed: return "this request is malformed";
    case Reason::kSecretInClear: return "secrets are not sent to " + who + " without TLS";
    case Reason::kUpstreamCertificate:
      return "the certificate of " + who + " is not accepted: " + std::string(detail);
    case Reason::kUpstreamTls: return "no TLS with " + who + ": " + std::string(detail);
    default: return who + " cannot be reached from this session";
  }
}

std::string http_answer(HttpRefusal refusal, std::string_view sentence) {
  std::string text = "Atoll: " + std::string(sentence) + "\n";
  return "HTTP/1.1 " + std::string(phrase(refusal)) +
         "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\nX-Atoll-Egress: denied\r\nConnection: close\r\n\r\n" +
         text;
}

Reason reason_of(HttpRefusal refusal) {
  switch (refusal) {
    case HttpRefusal::kMalformed:
    case HttpRefusal::kTooLarge: return Reason::kMalformed;
    case HttpRefusal::kDenied: return Reason::kNameDenied;
    case HttpRefusal::kMethod: return Reason::kMethodRefused;
    case HttpRefusal::kOtherHost: return Reason::kNameMismatch;
    case HttpRefusal::kUpstream: return Reason::kUpstreamTls;
  }
  return Reason::kMalformed;
}

}  // namespace atl::egress
