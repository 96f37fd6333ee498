// `atoll serve`: the control plane on one port, from start to drained end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/server/serve_options.hpp"
#include "config/load.hpp"
#include "egress/start.hpp"
#include "server/prepare_backends.hpp"

namespace atl::server {

// What the options, the file and the environment come to. Prints the problems of a configuration.
Result<config::Loaded> load_config(const cli::ServeOptions& options);

// Makes the data folder for `uid`. Before privileges are dropped.
Result<Place> prepare_place(const std::string& data, unsigned uid, unsigned gid);

// kConflict while a server has the data folder: before a launcher for a second one is started.
Result<void> check_free(const Place& place);

// Lets this process and those that it starts have the descriptors that so many sessions and
// connections need: the usual 1,024 are enough for a hundred. Before privileges are dropped.
void raise_open_files(std::uint64_t sessions, std::uint64_t connections);

// What starts atoll-egress, before privileges are dropped. None, with a line in the log, where the
// program cannot be started: sandboxes have no network then.
std::optional<egress::Starter> prepare_egress(const config::Config& config, unsigned uid);

// Until SIGTERM or SIGINT, or until the launcher is gone (status 1).
int serve(const config::Loaded& loaded, const Place& place, PreparedBackends backends,
          std::optional<egress::Starter> egress);

// `atoll key create|ls|revoke`.
int key_command(const cli::KeyOptions& options, const Place& place);

}  // namespace atl::server
