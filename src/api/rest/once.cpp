#include "api/rest/once.hpp"

#include <algorithm>

#include "api/limits.hpp"
#include "api/text.hpp"
#include "base/fault.hpp"
#include "codec/sha256.hpp"

namespace atl::api::rest {

Task<Answer<Once>> begin_once(Call call, std::string body) {
  const http::Request& request = call.request();
  auto key = request.headers.find("idempotency-key");
  if (!key) co_return Once();
  bool printable =
      std::ranges::all_of(*key, [](char letter) { return letter > 32 && letter < 127; });
  if (key->empty() || key->size() > kMaxIdempotencyKey || !printable) {
    co_return refuse(Code::kInvalidArgument,
                     "Idempotency-Key must have 1 to 255 printable characters");
  }
  Once once{.key = std::string(*key)};
  once.fingerprint = codec::sha256_hex(std::string(http::method_name(request.method)) + " " +
                                       request.path + "\n" + codec::sha256_hex(body));
  control::Idempotency& idempotency = call.control().idempotency();
  auto begun = co_await idempotency.begin(call.caller.tenant, once.key, once.fingerprint);
  if (!begun) co_return std::unexpected<Refusal>(std::move(begun).error());
  fault::here("idempotency.begun");
  co_return Once{.key = std::move(once.key),
                 .fingerprint = std::move(once.fingerprint),
                 .earlier = std::move(begun->earlier),
                 .running = std::move(begun->running)};
}

Answer<http::Response> replay(const store::IdempotencyRow& earlier) {
  if (!earlier.status) {
    return refuse(Code::kConflict, "the first request with this Idempotency-Key still runs");
  }
  http::Response response = json_text_response(*earlier.status, earlier.answer);
  response.headers.add("Idempotency-Replayed", "true");
  return response;
}

KeepAnswer keep_answer(const Call& call, const Once& once) {
  if (!once.active()) {
    return [](int, const std::string&, const std::string&) { return std::vector<store::Change>(); };
  }
  return [idempotency = &call.control().idempotency(), tenant = call.caller.tenant, key = once.key,
          fingerprint = once.fingerprint](int status, std::string body, std::string made) {
    std::vector<store::Change> changes;
    changes.push_back(
        idempotency->answer(tenant, key, fingerprint, status, std::move(body), std::move(made)));
    return changes;
  };
}

Task<Answer<void>> write_answer(Call call, KeepAnswer keep, int status, std::string body,
                                std::string made) {
  std::vector<store::Change> changes = keep(status, std::move(body), std::move(made));
  if (changes.empty()) co_return Answer<void>();
  ATOLL_CO_CHECK(co_await call.control().store().write(std::move(changes)));
  fault::here("idempotency.written");
  co_return Answer<void>();
}

}  // namespace atl::api::rest
