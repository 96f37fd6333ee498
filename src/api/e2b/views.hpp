// Sandboxes and snapshots as E2B's clients read them.
#pragma once

#include <string>

#include "api/e2b/call.hpp"

namespace atl::api::e2b {

// The agent whose protocol envd.cpp and rpc.cpp speak: clients choose what they ask for by it.
inline constexpr std::string_view kEnvdVersion = "0.6.13";
inline constexpr std::string_view kClientId = "atoll";

// Of create and connect: with the tokens.
object sandbox_view(const Call& call, const model::Session& session);
object listed_view(const Call& call, const model::Session& session);
Task<Answer<object>> detail_view(Call call, model::Session session);

// Under which `<port>-<id>.` hosts reach this server, by what the request called it.
std::string domain_of(const E2b& e2b, const http::Request& request);

}  // namespace atl::api::e2b
