// What the sandboxes of one tenant share: room for connections, and bytes per second.
#pragma once

#include <cstddef>

#include "egress/byte_rate.hpp"
#include "egress/context.hpp"

namespace atl::egress {

struct Tenant {
  explicit Tenant(Context& all) : context(all) { ++context.tenants; }
  ~Tenant() { --context.tenants; }
  Tenant(const Tenant&) = delete;
  Tenant& operator=(const Tenant&) = delete;

  Context& context;
  std::size_t connections = 0;
  ByteRate down, up;
};

}  // namespace atl::egress
