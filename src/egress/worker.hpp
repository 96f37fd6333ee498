// The working process of atoll-egress: all sandboxes, their connections, and the control socket, on
// one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "egress/posture.hpp"

namespace atl::egress {

struct WorkerOptions {
  int control = -1;  // listening
  uid_t client_uid = 0;
  bool once = false;              // ends with its first client
  std::chrono::seconds idle{60};  // ends after so long without clients and sandboxes
  std::string resolv_conf;        // the system's resolvers
  std::string roots;              // PEM: whom this host trusts
  Bounds bounds;
  bool confine = true;  // for tests in one process: not
};

inline constexpr int kToldToEnd = 0;  // every other exit code is a crash

// Runs to its end: the exit code, or why it could not begin.
Result<int> run_worker(const WorkerOptions& options);

}  // namespace atl::egress
