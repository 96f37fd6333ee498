// Bodies of requests, translated into what control is asked for. Members that are absent keep their
// defaults; unknown ones are refused by the codec. Those of sessions and of executions are in
// session_body.hpp and execute.hpp. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/common/refusal.hpp"
#include "api/rest/call.hpp"
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

Answer<control::OpenContextRequest> to_request(OpenContextBody body);
Answer<control::Keys::Wish> to_request(CreateKeyBody body);
Answer<std::string> to_bytes(StdinBody body);
Answer<int> to_signal(const SignalBody& body);

// "read-only", as contract §7 writes it; "read_only" is taken too.
std::string role_name(model::Role role);
std::optional<model::Role> role_from_name(std::string name);

}  // namespace atl::api::rest
