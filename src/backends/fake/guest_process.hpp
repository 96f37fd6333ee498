// Starts atoll-guest the way a launcher would, but without walls: the configuration on descriptor
// 3, a listening socket on 4.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.hpp"
#include "guest/protocol.hpp"

namespace atl::backends::fake {

// Binds `socket_path` and starts `program`; blocks for the spawn only.
Result<pid_t> start_guest(const std::string& program, const std::string& socket_path,
                          const guest::Token& token);

}  // namespace atl::backends::fake
