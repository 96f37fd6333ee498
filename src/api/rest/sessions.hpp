// Making sessions, for both paths that do: POST /sessions and its alias.
#pragma once

#include <string>

#include "api/common/prefer.hpp"
#include "api/rest/call.hpp"

namespace atl::api::rest {

// `text` is the body that `request` was made of.
Task<Answer<http::Response>> create_session_as_asked(Call call, control::CreateRequest request,
                                                     std::string text, Prefer prefer);

}  // namespace atl::api::rest
