// Networks by atoll-egress: this process asks sandboxes for their sockets and gives them to that
// program, whose life is watched here (docs/adr/0049-egress-starter.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "egress/protocol.hpp"
#include "egress/start.hpp"
#include "node/networks.hpp"

namespace atl::node {

struct EgressOptions {
  async::Executor executor;
  std::string socket;         // path; the next server connects to the same
  egress::Starter starter;    // made before privileges were dropped
  egress::Settings settings;  // of the operator
};

std::unique_ptr<Networks> egress_networks(EgressOptions options);

}  // namespace atl::node
