// Starts atoll-egress with a listening control socket.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/child.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::egress {

inline constexpr std::string_view kProgram = "atoll-egress";

struct StartOptions {
  std::string program;  // path of atoll-egress
  uid_t client_uid = 0;
  bool once = false;  // ends with its first client
  std::chrono::seconds idle{60};
};

// A control socket that listens; what lies at the path is replaced. Only its owner can connect.
Result<UniqueFd> listen_at(const std::string& path);
// One without a name in any folder, and a connection to it: for one client alone.
struct ControlPair {
  UniqueFd listener;
  UniqueFd client;
};
Result<ControlPair> control_pair();

// The program takes the socket. It becomes a user of its own where this process is root.
// Child::detach() lets it outlive its starter.
Result<Child> start(const StartOptions& options, UniqueFd listener);

// A process that starts atoll-egress whenever its owner asks, and can do nothing else. Made before
// privileges are dropped, it gives the program a user of its own although its owner could not any
// more. It ends with its owner; what it started does not.
class Starter {
 public:
  // With these options; `once` is ignored.
  static Result<Starter> make(const StartOptions& options);

  // kBackend when it is gone.
  Result<void> start(UniqueFd listener) const;

 private:
  explicit Starter(UniqueFd socket) : socket_(std::move(socket)) {}

  UniqueFd socket_;
};

}  // namespace atl::egress
