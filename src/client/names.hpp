// From what a person types to an id: the whole of it, or a beginning that only one has.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/api.hpp"

namespace atl::client {

inline constexpr std::size_t kIdLength = 26;

// The one of `ids` that begins with `typed`. kNotFound, or kInvalidArgument that names the
// candidates. `what` is for the sentence: "session".
Result<std::string> match_prefix(std::string_view what, std::string_view typed,
                                 std::span<const std::string> ids);

// Those that live are asked first; a beginning that none of them has may be one that ended.
Task<Result<SessionId>> find_session(Api* api, std::string typed);

// An execution by its whole id, or the latest of a session.
Task<Result<ExecutionId>> find_execution(Api* api, std::string typed);

}  // namespace atl::client
