// `Idempotency-Key`: the request is carried out once, and its answer given again. The answer is
// written together with what the request makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/rest/call.hpp"

namespace atl::api::rest {

struct Once {
  std::string key;  // empty: the client gave none
  std::string fingerprint;
  std::optional<store::IdempotencyRow> earlier;
  std::optional<control::Idempotency::Running> running;

  bool active() const { return !key.empty(); }
};

// `body` is what the fingerprint is made of, with method and path.
Task<Answer<Once>> begin_once(Call call, std::string body);
// The earlier answer; 409 when there is none yet.
Answer<http::Response> replay(const store::IdempotencyRow& earlier);

// The change that keeps this answer; none without a key. Copies all it needs.
using KeepAnswer =
    std::function<std::vector<store::Change>(int status, std::string body, std::string made)>;
KeepAnswer keep_answer(const Call& call, const Once& once);

// For what was not written with the work itself.
Task<Answer<void>> write_answer(Call call, KeepAnswer keep, int status, std::string body,
                                std::string made);

}  // namespace atl::api::rest
