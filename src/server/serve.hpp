// `atoll serve`: the control plane on one port, from start to drained end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "cli/serve_options.hpp"
#include "config/load.hpp"

namespace atl::server {

// What the options, the file and the environment come to. Prints the problems of a configuration.
Result<config::Loaded> load_config(const cli::ServeOptions& options);

struct Place {
  std::string data_folder;
  std::string run_folder;  // sockets of guests: one per data folder
};
// Makes both for `uid`. Before privileges are dropped.
Result<Place> prepare_place(const std::string& data, unsigned uid, unsigned gid);

// kConflict while a server has the data folder: before a launcher for a second one is started.
Result<void> check_free(const Place& place);

// Lets this process and those that it starts have the descriptors that so many sessions and
// connections need: the usual 1,024 are enough for a hundred. Before privileges are dropped.
void raise_open_files(std::uint64_t sessions, std::uint64_t connections);

// The group that the default backend cannot do without. Before privileges are dropped.
std::optional<unsigned> needed_group(const config::Config& config, const Place& place);

// What the default backend wants of root. Before privileges are dropped.
void prepare_backends(const config::Config& config, unsigned uid, unsigned gid);

// Until SIGTERM or SIGINT, or until the launcher is gone (status 1). `launcher` is the native
// backend's, started while there were privileges.
int serve(const config::Loaded& loaded, const Place& place, UniqueFd launcher);

// `atoll key create|ls|revoke`.
int key_command(const cli::KeyOptions& options, const Place& place);

}  // namespace atl::server
