// Where a client connects to. Internal to http/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "http/wire.hpp"

namespace atl::http {

struct Endpoint {
  bool tls = false;
  std::string host;         // a name or address, without brackets
  std::uint16_t port = 0;   // 0 for a Unix socket
  std::string path;         // of a Unix socket
  std::string host_header;  // value of Host
};

// "http://host:port", "https://host", "unix:///path".
Result<Endpoint> parse_endpoint(const std::string& text);

// Connected, still plain. Names are looked up on the pool, which is made when there is none yet.
Task<Result<std::shared_ptr<Wire>>> connect_to(async::Executor executor, Endpoint endpoint,
                                               std::shared_ptr<async::Pool>* pool);

}  // namespace atl::http
