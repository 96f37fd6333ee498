// Bodies of requests, translated into what control is asked for. Members that are absent keep their
// defaults; unknown ones are refused by the codec. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/common/refusal.hpp"
#include "api/rest/body_checks.hpp"
#include "bodies/execution.hpp"
#include "bodies/server.hpp"
#include "bodies/session.hpp"
#include "control/keys.hpp"
#include "control/requests.hpp"
#include "model/key.hpp"

namespace atl::api::rest {

using bodies::ChangeBody;
using bodies::ConfigBody;
using bodies::CreateBody;
using bodies::CreateKeyBody;
using bodies::EmptyBody;
using bodies::ExecuteBody;
using bodies::FlatCreateBody;
using bodies::OpenContextBody;
using bodies::RenewBody;
using bodies::RunBody;
using bodies::SignalBody;
using bodies::StdinBody;

Answer<control::CreateRequest> to_request(CreateBody body);
Answer<control::CreateRequest> to_request(FlatCreateBody body);
Answer<control::ChangeRequest> to_request(ChangeBody body);
Answer<control::ExecuteRequest> to_request(ExecuteBody body);
Answer<control::OpenContextRequest> to_request(OpenContextBody body);
Answer<control::Keys::Wish> to_request(CreateKeyBody body);
// The session of a one-shot run; the rest of the body is its execution.
Answer<control::CreateRequest> session_of(const RunBody& body);
Answer<std::string> to_bytes(StdinBody body);
Answer<int> to_signal(const SignalBody& body);

// "read-only", as contract §7 writes it; "read_only" is taken too.
std::string role_name(model::Role role);
std::optional<model::Role> role_from_name(std::string name);

}  // namespace atl::api::rest
