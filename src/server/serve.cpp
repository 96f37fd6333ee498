#include "server/serve.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "api/middleware.hpp"
#include "api/rest/rest.hpp"
#include "async/run.hpp"
#include "async/signals.hpp"
#include "cli/exit_status.hpp"
#include "cli/small_commands.hpp"
#include "control/control.hpp"
#include "http/server.hpp"
#include "observe/log.hpp"
#include "sandbox/registry.hpp"
#include "store/store.hpp"

#ifndef ATOLL_VERSION
#define ATOLL_VERSION "0"
#endif

namespace atl::server {
namespace {

using async::Task;

control::Mode mode_of(const config::SandboxConfig& sandbox) {
  if (!sandbox.enabled || sandbox.mode == config::SandboxMode::kDisabled) {
    return control::Mode::kDisabled;
  }
  return sandbox.mode == config::SandboxMode::kShared ? control::Mode::kShared
                                                      : control::Mode::kPerSession;
}

log::Level level_of(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kDebug: return log::Level::kDebug;
    case config::LogLevel::kInfo: return log::Level::kInfo;
    case config::LogLevel::kWarn: return log::Level::kWarn;
    case config::LogLevel::kError: return log::Level::kError;
    case config::LogLevel::kOff: return log::Level::kOff;
  }
  return log::Level::kInfo;
}

bool is_loopback(const std::string& listen) {
  return listen.starts_with("127.") || listen.starts_with("[::1]") ||
         listen.starts_with("localhost:") || listen.starts_with("unix:");
}

http::ServerOptions http_options(const config::ServerConfig& server) {
  http::ServerOptions options;
  if (!server.listen.empty()) options.listen.push_back(server.listen);
  if (!server.unix_socket.empty()) options.listen.push_back("unix:" + server.unix_socket);
  if (!server.tls.cert_file.empty()) {
    options.tls = http::TlsFiles{.certificate = server.tls.cert_file, .key = server.tls.key_file};
  }
  options.limits.header_bytes = server.limits.header_bytes;
  options.limits.connections = server.limits.connections;
  options.limits.header_time = std::chrono::seconds(server.limits.header_timeout);
  options.limits.body_time = std::chrono::seconds(server.limits.body_timeout);
  options.limits.idle_time = std::chrono::seconds(server.limits.idle_timeout);
  return options;
}

control::ControlOptions control_options(async::Executor executor, const config::Config& config) {
  control::ControlOptions options{.executor = std::move(executor)};
  options.mode = mode_of(config.sandbox);
  options.limits = {.live = config.sessions.max_active,
                    .max_timeout_seconds = config.sessions.max_lifetime};
  options.cleanup_on_exit = config.sandbox.runtime.cleanup_on_exit;
  options.results_kept = std::chrono::seconds(config.store.retention.ended_sessions);
  return options;
}

// One line for people and scripts: the address stands at its end.
void announce(const http::Server& server, bool tls, bool auth, bool has_keys) {
  for (const std::string& address : server.addresses()) {
    bool is_unix = address.starts_with("unix:");
    std::printf("atoll listens on %s%s\n",
                is_unix ? ""
                : tls   ? "https://"
                        : "http://",
                address.c_str());
  }
  if (auth && !has_keys) {
    std::printf("no key yet: make one with `atoll key create --role admin`\n");
  }
  std::fflush(stdout);
}

struct Running {
  const config::Loaded* loaded;
  const Place* place;
  UniqueFd* launcher;
  const sandbox::Registry* registry;
};

Task<Result<void>> run_server(async::Executor executor, Running running) {
  const config::Config& config = running.loaded->config;
  ATOLL_CO_TRY(async::Signals signals, async::Signals::listen(executor, {SIGTERM, SIGINT}));
  control::ControlOptions options = control_options(executor, config);
  ATOLL_CO_TRY(options.store,
               co_await store::open_store({.executor = executor,
                                           .url = config.store.url,
                                           .data_folder = running.place->data_folder}));
  control::LocalNodeOptions node{.executor = executor, .default_backend = config.sandbox.backend};
  node.backend.run_folder = running.place->run_folder;
  node.backend.control = std::move(*running.launcher);
  node.backend.settings["state_folder"] = running.place->data_folder + "/sandboxes";
  options.journal_folder = running.place->data_folder + "/journals";
  options.node = control::make_local_node(*running.registry, std::move(node));
  control::Control control(std::move(options));
  bool draining = false;
  http::Router router;
  api::rest::add_rest_routes(router, control,
                             {.executor = executor,
                              .data_folder = running.place->data_folder,
                              .registry = running.registry,
                              .version = ATOLL_VERSION,
                              .draining = [&draining] { return draining; }});
  // After the routes, which bring along what sessions are made of.
  ATOLL_CO_CHECK(co_await control.start());
  http::Server server(executor,
                      api::wrap(router.handler(), control, {.required = config.auth.enabled}),
                      http_options(config.server));
  Result<void> started = co_await server.start();
  if (started) {
    announce(server, !config.server.tls.cert_file.empty(), config.auth.enabled,
             !control.keys().list().empty());
    Result<int> signal = co_await signals.next();
    log::info("server_stopping", log::kv("signal", signal ? *signal : 0));
  }
  draining = true;
  co_await server.drain(
      async::deadline_in(std::chrono::seconds(config.server.limits.drain_timeout)));
  co_await control.stop();
  co_return started;
}

}  // namespace

int serve(const config::Loaded& loaded, const Place& place, UniqueFd launcher) {
  const config::Config& config = loaded.config;
  log::set_level(level_of(config.log.level));
  if (!config.auth.enabled && !is_loopback(config.server.listen)) {
    return cli::own_failure(Error(Code::kForbidden,
                                  "--no-auth would let everybody in: it is for loopback addresses "
                                  "only, and this one is " +
                                      config.server.listen));
  }
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  Result<void> served = async::run_to_end<Result<void>>([&](async::Executor executor) {
    return run_server(executor, {&loaded, &place, &launcher, &registry});
  });
  return served ? 0 : cli::own_failure(served.error());
}

}  // namespace atl::server
