#include "server/serve.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "api/common/dialect.hpp"
#include "api/common/middleware.hpp"
#include "api/e2b/e2b.hpp"
#include "api/mcp/mcp.hpp"
#include "api/opensandbox/dialect.hpp"
#include "api/rest/rest.hpp"
#include "async/run.hpp"
#include "async/signals.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "base/program_folder.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/small_commands.hpp"
#include "control/control.hpp"
#include "egress/inside.hpp"
#include "http/server.hpp"
#include "node/egress_networks.hpp"
#include "observe/log.hpp"
#include "sandbox/registry.hpp"
#include "server/policy_rules.hpp"
#include "server/report_bugs.hpp"
#include "server/settings.hpp"
#include "store/storage_key.hpp"
#include "store/store.hpp"

#ifndef ATOLL_VERSION
#define ATOLL_VERSION "0"
#endif

namespace atl::server {
namespace {

using async::Task;

std::string url_of(const std::string& address, bool tls) {
  if (address.starts_with("unix:")) return address;
  return (tls ? "https://" : "http://") + address;
}

// One line for people and scripts: the address stands at its end.
void announce(const http::Server& server, bool tls, bool auth, bool has_keys,
              const std::string& data) {
  for (const std::string& address : server.addresses()) {
    std::printf("atoll listens on %s\n", url_of(address, tls).c_str());
  }
  if (auth && !has_keys) {
    std::printf("no key yet: make one with `atoll key create --data %s --role owner`\n",
                data.c_str());
  }
  std::fflush(stdout);
}

// In the order in which they are asked whether a request is theirs.
api::Dialects dialects_of(const config::Config& config, control::Control& control,
                          const api::rest::RestOptions& rest) {
  api::Dialects all;
  if (config.dialects.opensandbox.enabled) {
    api::DialectOptions options = dialect_options(config, config.dialects.opensandbox);
    options.executor = rest.executor;
    all.push_back(api::opensandbox::make_dialect(control, std::move(options)));
  }
  if (config.dialects.e2b.enabled) {
    api::e2b::E2bOptions options{.common = dialect_options(config, config.dialects.e2b),
                                 .keys_required = program_settings(config).keys_required,
                                 .preview_domain = rest.preview_domain,
                                 .draining = rest.draining};
    options.common.executor = rest.executor;
    std::ranges::move(api::e2b::make_dialects(control, options), std::back_inserter(all));
  }
  return all;
}

struct Running {
  const config::Loaded* loaded;
  const Place* place;
  PreparedBackends* backends;
  std::optional<egress::Starter>* egress;
  const sandbox::Registry* registry;
};

constexpr std::chrono::seconds kLostDrain{2};  // for answers that are ready

// Standard input of a temporary server: when it ends, the starter is gone.
struct Input {
  bool ended = false;
};

Task<void> watch_input(async::Executor executor, Input* input, async::Signals* signals) {
  UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (copy) {
    async::Stream stream(executor, std::move(copy), async::FdKind::kShared);
    std::array<char, 256> ignored{};
    for (;;) {
      Result<std::size_t> got = co_await stream.read_some(ignored);
      if (!got || *got == 0) break;
    }
  }
  input->ended = true;
  signals->cancel();
}

void remove_data(const Place& place) {
  std::error_code why;
  std::filesystem::remove_all(place.data_folder, why);
  if (why) log::warn("data_folder_left", log::kv("error", why.message()));
}

// 0 after a signal, 1 when the launcher is gone and another server must take over.
Task<Result<int>> run_server(async::Executor executor, Running running) {
  const config::Config& config = running.loaded->config;
  const ProgramSettings program = program_settings(config);
  ATOLL_CO_TRY(async::Signals signals, async::Signals::listen(executor, {SIGTERM, SIGINT}));
  Input input;
  async::TaskGroup watchers(executor);
  if (running.place->temporary) watchers.spawn(watch_input(executor, &input, &signals));
  control::ControlOptions options = control_options(config, *running.place);
  options.executor = executor;
  options.on_lost = [&signals] { signals.cancel(); };
  ATOLL_CO_TRY(options.store,
               co_await store::open_store({.executor = executor,
                                           .url = program.store_url,
                                           .data_folder = running.place->data_folder,
                                           .storage_key = store::storage_key_given()}));
  node::LocalNodeOptions node = node_options(config, *running.place);
  node.executor = executor;
  std::string authority;
  if (*running.egress) {
    ATOLL_CO_TRY(node.trust, egress::trust_files(running.place->data_folder + "/egress"));
    authority = std::move(node.trust->authority);
  }
  node.backend.keeps_group = running.backends->group.has_value();
  for (const sandbox::BackendEntry& entry : running.registry->list()) {
    bool unprepared = running.backends->as_root && entry.prepare_as_root &&
                      !running.backends->by_name.contains(entry.name);
    node.backends[entry.name] = {.config = config.sandbox.backends.of(entry.name),
                                 .prepared = std::move(running.backends->by_name[entry.name]),
                                 .unprepared = unprepared};
  }
  if (*running.egress) {
    egress::Settings settings = egress_settings(config);
    settings.authority = authority;
    options.networks = node::egress_networks({.executor = executor,
                                              .socket = running.place->data_folder + "/egress.sock",
                                              .starter = std::move(**running.egress),
                                              .settings = std::move(settings)});
    node.networks = options.networks.get();
  }
  options.nodes.push_back(node::make_local_node(*running.registry, std::move(node)));
  control::Control control(std::move(options));
  bool draining = false;
  std::string endpoint;
  api::rest::RestOptions rest = rest_options(config);
  rest.executor = executor;
  rest.registry = running.registry;
  rest.endpoint = [&endpoint] { return endpoint; };
  rest.version = ATOLL_VERSION;
  rest.draining = [&draining] { return draining; };
  http::Router router;
  http::Handler preview = api::rest::add_rest_routes(router, control, rest);
  api::mcp::add_mcp_routes(router, control,
                           {.executor = executor,
                            .version = ATOLL_VERSION,
                            .endpoint = rest.endpoint,
                            .preview_domain = rest.preview_domain,
                            .body_bytes = rest.body_bytes,
                            .draining = rest.draining});
  PolicyRules rules(program.policy_rules, control.decider());
  async::TaskGroup rules_watch(executor);
  ATOLL_CO_CHECK(co_await rules.load());
  ATOLL_CO_CHECK(co_await control.start());
  http::Server server(executor,
                      api::wrap(router, control,
                                {.required = program.keys_required,
                                 .preview_domain = rest.preview_domain,
                                 .cors_origins = rest.cors_origins,
                                 .preview = std::move(preview),
                                 .dialects = dialects_of(config, control, rest)}),
                      http_options(config));
  Result<void> started = co_await server.start();
  if (started) {
    bool tls = !config.server.tls.cert_file.empty();
    endpoint = url_of(server.addresses().front(), tls);
    announce(server, tls, program.keys_required, !control.keys().tenants().empty(),
             running.place->data_folder);
    rules_watch.spawn(rules.watch());
    Result<int> signal = 0;
    if (!control.is_lost() && !input.ended) signal = co_await signals.next();
    log::info("server_stopping", log::kv("signal", signal ? *signal : 0));
  }
  draining = true;
  co_await watchers.join();
  co_await rules_watch.join();
  std::chrono::seconds drain = program.drain_time;
  co_await server.drain(
      async::deadline_in(control.is_lost() ? std::min(drain, kLostDrain) : drain));
  co_await control.stop();
  if (!started) co_return fail(started.error());
  co_return control.is_lost() ? 1 : 0;
}

}  // namespace

std::optional<egress::Starter> prepare_egress(const config::Config& config, unsigned uid) {
  if (control_options(config, {}).mode == control::Mode::kDisabled) return std::nullopt;
  Result<std::string> folder = program_folder();
  Result<egress::Starter> starter = fail(Code::kHostUnsupported, "");
  if (folder) {
    std::string program = *folder + "/" + std::string(egress::kProgram);
    starter = egress::Starter::make({.program = std::move(program), .client_uid = uid});
  }
  if (starter) return std::move(*starter);
  const Error& why = folder ? starter.error() : folder.error();
  log::warn("egress_not_prepared", log::kv("reason", why.to_string()));
  return std::nullopt;
}

int serve(const config::Loaded& loaded, const Place& place, PreparedBackends backends,
          std::optional<egress::Starter> egress) {
  log::set_level(log_level(loaded.config));
  report_bugs();
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  Result<int> served = async::run_to_end<Result<int>>([&](async::Executor executor) {
    return run_server(executor, {&loaded, &place, &backends, &egress, &registry});
  });
  if (place.temporary) remove_data(place);
  return served ? *served : cli::own_failure(served.error());
}

}  // namespace atl::server
