// For tests of egress: does to the present network namespace what the launcher does to a sandbox's,
// sends the two sockets over the Unix socket that is its standard input, and ends.
//
// usage: egress-sockets [--sockets-only]
#include "engine/egress_sockets.hpp"

#include <string_view>

#include "base/raw_log.hpp"
#include "base/send_fds.hpp"

int main(int argc, char** argv) {
  using namespace atl;
  bool sockets_only = argc > 1 && std::string_view(argv[1]) == "--sockets-only";
  if (int error = sockets_only ? 0 : engine::route_to_egress()) {
    raw_log("egress-sockets: routes and rules: ", strerror(error));
    return 1;
  }
  UniqueFd listener, dns;
  if (!engine::make_egress_sockets(listener, dns)) {
    raw_log("egress-sockets: sockets: ", strerror(errno));
    return 1;
  }
  int both[] = {listener.get(), dns.get()};
  return send_fds(0, "+", 1, both) == 1 ? 0 : 1;
}
