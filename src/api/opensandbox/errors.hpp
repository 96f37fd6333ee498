// Refusals as clients of OpenSandbox read them. Pure.
#pragma once

#include "api/common/refusal.hpp"
#include "http/message.hpp"

namespace atl::api::opensandbox {

inline constexpr std::uint16_t kExecdPort = 44772;
inline constexpr std::uint16_t kEgressPort = 18080;
inline constexpr std::string_view kTokenField = "X-EXECD-ACCESS-TOKEN";

// Which of their servers a path belongs to.
enum class Plane { kLifecycle, kExecd, kEgress };
Plane plane_of(std::string_view path);

// {"code","message"} of the lifecycle API and of execd, each with the codes of its own; plain text
// of the egress sidecar. Never an empty body: their client takes that for success.
http::Response render(const Refusal& refusal, const http::Request& request);

}  // namespace atl::api::opensandbox
