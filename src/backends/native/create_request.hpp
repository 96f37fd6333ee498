// From what a caller wants to what the launcher understands.
#pragma once

#include "base/result.hpp"
#include "engine/launcher_protocol.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::native {

engine::Limits engine_limits(const sandbox::Limits& limits);
Result<engine::CreateRequest> create_request(const sandbox::SandboxSpec& spec,
                                             const guest::Token& token);
// A limit that was asked for by name and does not hold is an error; `walls` says what holds.
Result<void> check_asked_limits(const sandbox::AskedLimits& asked, std::uint32_t walls);
sandbox::Isolation isolation_of(std::uint32_t walls);

}  // namespace atl::backends::native
