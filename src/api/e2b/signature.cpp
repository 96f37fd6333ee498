#include "api/e2b/signature.hpp"

#include <openssl/crypto.h>

#include "api/common/text.hpp"
#include "codec/base64.hpp"
#include "codec/sha256.hpp"

namespace atl::api::e2b {

std::string signature_of(const SignedLink& link, std::string_view token) {
  std::string text = link.path + ":" + link.operation + ":" + link.user + ":" + std::string(token);
  if (!link.expiration.empty()) text += ":" + link.expiration;
  std::string digest = from_hex(codec::sha256_hex(text)).value_or("");
  std::string coded = codec::base64(digest);
  while (coded.ends_with('=')) coded.pop_back();
  return "v1_" + coded;
}

bool SignedLink::is_signed_with(std::string_view token) const {
  std::string right = signature_of(*this, token);
  return right.size() == signature.size() &&
         ::CRYPTO_memcmp(right.data(), signature.data(), right.size()) == 0;
}

Answer<SignedLink> signed_link(const http::Request& request,
                               std::chrono::system_clock::time_point now) {
  bool reads = request.method == http::Method::kGet || request.method == http::Method::kHead;
  SignedLink link{.path = std::string(request.query_value("path")),
                  .operation = reads ? "read" : "write",
                  .user = std::string(request.query_value("username")),
                  .expiration = std::string(request.query_value("signature_expiration")),
                  .signature = std::string(request.query_value("signature"))};
  if (link.expiration.empty()) return link;
  // Compared as plain numbers: a clock's type would overflow with what a client may write.
  auto expires = to_number(link.expiration);
  if (!expires) {
    return refuse(Code::kInvalidArgument, "signature_expiration must be a number of seconds");
  }
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (seconds < 0 || static_cast<std::uint64_t>(seconds) >= *expires) {
    return refuse(Code::kUnauthenticated, "the signature has expired");
  }
  return link;
}

}  // namespace atl::api::e2b
