// `Idempotency-Key`, as it comes in a request and as an answer shows it.
#pragma once

#include <string>

#include "api/rest/call.hpp"

namespace atl::api::rest {

// The key of this request, if it has one, and what an earlier request with it made. `body` is what
// the fingerprint is made of, with method and path.
Task<Answer<control::Once>> begin_once(Call call, std::string body);

// An answer to a repeated request says so.
http::Response mark_replayed(http::Response response, bool replayed);

}  // namespace atl::api::rest
