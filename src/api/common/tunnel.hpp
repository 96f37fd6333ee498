// A connection to a port inside a sandbox as a socket, so that the HTTP client can speak over it.
#pragma once

#include <memory>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::api {

// Bytes move in both directions as tasks of `group` until both sides have ended.
Result<UniqueFd> open_tunnel(async::Executor executor, async::TaskGroup& group,
                             std::unique_ptr<sandbox::ByteStream> inside);

}  // namespace atl::api
