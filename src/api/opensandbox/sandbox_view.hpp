// Between sandboxes as OpenSandbox describes them and sessions. Pure.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "api/opensandbox/bodies.hpp"
#include "control/requests.hpp"
#include "model/session.hpp"
#include "model/snapshot.hpp"

namespace atl::api::opensandbox {

// Where programs of a sandbox look for variables that a client has set for all that follow.
inline constexpr std::string_view kEnvironmentFile = "/tmp/.opensandbox-env";

// Pending, Running, Paused, Terminated, Failed.
std::string_view state_name(model::SessionState state);
// The states that a name stands for; none for a name that no sandbox here can have.
std::vector<model::SessionState> states_named(std::string_view name);

// Everything but the template, the network and the wait.
Answer<control::CreateRequest> to_request(CreateBody body);
// {"cpu":"500m","memory":"512Mi"}: what is not known is passed over, what is wrong is refused.
Answer<model::Resources> to_resources(const StringMap& limits);
// The entry point does nothing but keep a container alive, which nobody needs here.
bool only_waits(const std::vector<std::string>& entrypoint);
// It starts the server behind their code interpreter.
bool is_code_interpreter(const std::vector<std::string>& entrypoint);

Origin origin_of(const model::Session& session);
boost::json::object created_view(const model::Session& session);
boost::json::object sandbox_view(const model::Session& session);
boost::json::object snapshot_view(const model::Snapshot& snapshot);
// {"page","pageSize","totalItems","totalPages","hasNextPage"}
boost::json::object pagination(std::uint64_t page, std::uint64_t size, std::uint64_t total);

// "a=1&b=x%20y", as it is in the query parameter once that is decoded.
Answer<StringMap> parse_metadata_filter(std::string_view text);
// Keys and values as labels of Kubernetes have them, as far as filters depend on it.
Answer<void> check_metadata(const StringMap& metadata);

}  // namespace atl::api::opensandbox
