// Making sessions, and sessions as the bodies of requests and answers: for POST /sessions and its
// alias, for runs, and for whatever else answers with a session.
#pragma once

#include <string>

#include "api/common/prefer.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/call.hpp"

namespace atl::api::rest {

// POST /sessions.
Task<Answer<http::Response>> create_session(Call call);
// `text` is the body that `request` was made of.
Task<Answer<http::Response>> create_session_as_asked(Call call, control::CreateRequest request,
                                                     std::string text, Prefer prefer);

Answer<control::CreateRequest> to_request(CreateBody body);
Answer<control::CreateRequest> to_request(FlatCreateBody body);
Answer<control::ChangeRequest> to_request(ChangeBody body);
// The session of a one-shot run; the rest of the body is its execution.
Answer<control::CreateRequest> session_of(const RunBody& body);

bodies::SessionBody session_view(const model::Session& session);

}  // namespace atl::api::rest
