// Connecting to a Unix socket by its path, of any length.
#pragma once

#include <sys/un.h>

#include <string>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::async {

// Succeeds as soon as somebody listens there, whether or not he accepts yet. A full backlog is
// waited out until the deadline (kResourceExhausted).
Task<Result<UniqueFd>> connect_unix(std::string path, Deadline deadline = kNoDeadline);

// The same at once: a full backlog fails with EAGAIN.
Result<UniqueFd> connect_unix_now(const std::string& path);

// Of both: it failed because nobody listens, and not for want of anything here.
bool is_nobody_there(const Error& error);

}  // namespace atl::async
