// Starts atoll-egress: makes its control socket and hands it over. While the starter is still root,
// so that the program becomes a user of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/child.hpp"
#include "base/result.hpp"

namespace atl::egress {

struct StartOptions {
  std::string program;  // path of atoll-egress
  std::string socket;   // path of the control socket; what lies there is replaced
  uid_t client_uid = 0;
  bool once = false;
  std::chrono::seconds idle{60};
};

// The socket exists and listens when this returns. Child::detach() lets the program outlive its
// starter.
Result<Child> start(const StartOptions& options);

}  // namespace atl::egress
