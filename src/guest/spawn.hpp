// Starts a program of the user: pipes or a terminal, the search in PATH, and what to say on
// failure.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/messages.hpp"

namespace atl::guest {

class Server;

struct Spawned {
  pid_t pid = -1;
  std::uint64_t started_ns = 0;  // before the fork
  UniqueFd in;                   // our ends, not blocking; empty when there is none
  UniqueFd out;                  // a terminal's stdin and stdout are two descriptors of one master
  UniqueFd err;
  UniqueFd control;  // the program's control socket; `in` is another descriptor of it
  UniqueFd notice;   // where an interpreter tells of its end ahead of it (EndNotice)
};

Result<Spawned> spawn(Server& server, const ExecArgs& args);

}  // namespace atl::guest
