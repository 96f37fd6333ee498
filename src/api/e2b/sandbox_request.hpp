// Requests to a sandbox: which one, by header, by host or by the signature of a link; who may send
// them; and what is answered when there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/host.hpp"
#include "api/common/refusal.hpp"
#include "api/e2b/call.hpp"

namespace atl::api::e2b {

inline constexpr std::uint16_t kEnvdPort = 49983;
inline constexpr std::uint16_t kInterpreterPort = 49999;

// What the head of a request says, by E2b-Sandbox-Id and E2b-Sandbox-Port or by its host. Hosts of
// other ports are previews, unless the request has a token of the sandbox.
struct SandboxName {
  std::string id;
  std::uint16_t port = kEnvdPort;  // 0: no port at all
};
std::optional<SandboxName> sandbox_named(const http::Request& request,
                                         const std::optional<PreviewHost>& host);

std::optional<SandboxName> sandbox_named(const E2b& e2b, const http::Request& request);

// GET or POST /files?…&signature=v1_…
bool is_signed_link(const http::Request& request);
// Requests to the server's own host that name no sandbox, so its access token has to: signed links,
// and requests of e2b 2.7 to envd, of which many send nothing but the token.
bool names_by_token(const http::Request& request);

// For servers with keys: by X-Access-Token, E2B-Traffic-Access-Token or a signature. nullopt: the
// request has none of them, so a key decides.
Task<Answer<std::optional<control::Caller>>> admit_to_sandbox(E2bPtr e2b, http::Exchange* exchange);

// Sets call->sandbox. A paused one is resumed if it was made so. 502 where none lives, as E2B's own
// proxy says it.
Task<Answer<void>> find_sandbox(Call* call);
// What failed because the sandbox ended meanwhile says so.
Refusal reason_of(const Call& call, Refusal refusal);

// In the form that the path asks for: Connect's, or {"code", "message"}.
http::Response sandbox_error(const Refusal& refusal, const http::Request& request);
bool is_rpc(std::string_view path);

}  // namespace atl::api::e2b
