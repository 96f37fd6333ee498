// atoll-server: what `atoll serve` and `atoll key` start. Options, wiring, run.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

#include "base/fault.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/run/privileges.hpp"
#include "cli/server/serve_options.hpp"
#include "sandbox/registry.hpp"
#include "server/serve.hpp"
#include "server/settings.hpp"

namespace {

using namespace atl;
using namespace atl::cli;

// For tests/e2e/test_crash.py, as is the variable.
int list_fault_points() {
  for (std::string_view name : fault::kNames) {
    std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
  }
  return 0;
}

Result<void> arm_fault() {
  const char* name = std::getenv("ATOLL_FAULT");
  if (name == nullptr || fault::arm(name)) return {};
  return fail(Code::kInvalidArgument, "ATOLL_FAULT: there is no such fault point");
}

int serve_command(Arguments arguments) {
  ServeOptions options;
  if (Result<void> parsed = parse_serve_options(arguments, options); !parsed) {
    return own_failure(parsed.error());
  }
  if (options.help) return show_help(*find_command("serve"));
  if (options.temporary && options.data.empty()) {
    return own_failure(
        Error(Code::kInvalidArgument,
              "--temporary removes the data folder at the end: name it with --data"));
  }
  if (Result<void> armed = arm_fault(); !armed) return own_failure(armed.error());
  ::signal(SIGPIPE, SIG_IGN);
  Result<config::Loaded> loaded = server::load_config(options);
  if (!loaded) return own_failure(loaded.error());
  Identity identity = service_identity();
  Result<server::Place> place = server::prepare_place(
      server::program_settings(loaded->config).data_folder, identity.uid, identity.gid);
  if (!place) return own_failure(place.error());
  place->temporary = options.temporary;
  if (Result<void> unused = server::check_free(*place); !unused) return own_failure(unused.error());
  server::raise_open_files(loaded->config.sessions.max_active,
                           loaded->config.server.limits.connections);
  std::vector<std::string> of_templates;
  if (::geteuid() == 0) {
    of_templates = server::backends_of_templates(loaded->config, *place, identity);
  }
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  Result<server::PreparedBackends> prepared = server::prepare_backends(
      registry, server::wanted_backends(*loaded, of_templates), loaded->config, *place, identity);
  if (!prepared) return own_failure(prepared.error());
  std::optional<egress::Starter> egress = server::prepare_egress(loaded->config, identity.uid);
  identity.group = prepared->group;
  if (Result<void> dropped = drop_privileges(identity); !dropped) {
    return own_failure(dropped.error());
  }
  return server::serve(*loaded, *place, std::move(*prepared), std::move(egress));
}

int key_command(Arguments arguments) {
  KeyOptions options;
  if (Result<void> parsed = parse_key_options(arguments, options); !parsed) {
    return own_failure(parsed.error());
  }
  if (options.help) return show_help(*find_command("key"));
  bool makes_one = !options.words.empty() && options.words[0] == "create";
  if (!makes_one && options.store.empty() && ::access(options.data.c_str(), F_OK) != 0) {
    return own_failure(
        Error(Code::kNotFound, options.data + " is not the data folder of a server"));
  }
  Identity identity = service_identity();
  Result<server::Place> place = server::prepare_place(options.data, identity.uid, identity.gid);
  if (!place) return own_failure(place.error());
  if (Result<void> dropped = drop_privileges(identity); !dropped) {
    return own_failure(dropped.error());
  }
  return server::key_command(options, *place);
}

int dispatch(Arguments arguments) {
  std::string_view name = arguments.empty() ? std::string_view() : arguments[0];
  if (name == "serve") return serve_command(arguments.subspan(1));
  if (name == "key") return key_command(arguments.subspan(1));
  if (name == "--fault-points") return list_fault_points();
  return own_failure(Error(Code::kInvalidArgument, "this is started by atoll serve and atoll key"));
}

}  // namespace

int main(int count, char** values) {
  try {
    std::vector<std::string_view> arguments(values, values + count);
    return dispatch(Arguments(arguments).subspan(count > 0 ? 1 : 0));
  } catch (const std::exception& error) {
    return own_failure(Error(Code::kInternal, error.what()));
  }
}
