#include "api/rest/once.hpp"

#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "codec/sha256.hpp"

namespace atl::api::rest {

Task<Answer<control::Once>> begin_once(Call call, std::string body) {
  const http::Request& request = call.request();
  auto key = request.headers.find("idempotency-key");
  if (!key) co_return control::Once();
  bool printable =
      std::ranges::all_of(*key, [](char letter) { return letter > 32 && letter < 127; });
  if (key->empty() || key->size() > kMaxIdempotencyKey || !printable) {
    co_return refuse(Code::kInvalidArgument,
                     "Idempotency-Key must have 1 to 255 printable characters");
  }
  std::string fingerprint = codec::sha256_hex(std::string(http::method_name(request.method)) + " " +
                                              request.path + "\n" + codec::sha256_hex(body));
  auto begun = co_await call.control().idempotency().begin(
      call.caller, {.key = std::string(*key), .fingerprint = std::move(fingerprint)});
  if (!begun) co_return std::unexpected<Refusal>(std::move(begun).error());
  co_return std::move(*begun);
}

http::Response mark_replayed(http::Response response, bool replayed) {
  if (replayed) response.headers.add("Idempotency-Replayed", "true");
  return response;
}

}  // namespace atl::api::rest
