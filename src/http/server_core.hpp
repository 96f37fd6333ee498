// What the connections of one server share. Internal to http/.
#pragma once

#include <memory>
#include <utility>

#include "async/task.hpp"
#include "http/gone_watch.hpp"
#include "http/server.hpp"
#include "http/wire.hpp"

namespace atl::http {

struct ServerCore {
  ServerCore(async::Executor with, Handler what, ServerOptions how)
      : executor(std::move(with)), handler(std::move(what)), options(std::move(how)) {}

  async::Executor executor;
  Handler handler;
  ServerOptions options;
  std::shared_ptr<Watchdog> watchdog = std::make_shared<Watchdog>();
  std::shared_ptr<GoneWatch> gone;
  bool draining = false;
};

}  // namespace atl::http
