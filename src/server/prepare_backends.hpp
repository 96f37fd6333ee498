// A server as root prepares every backend that it may be asked for, before it drops its privileges:
// the default one, those that stored templates name, and those that the configuration has a block
// for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/run/privileges.hpp"
#include "config/load.hpp"
#include "sandbox/registry.hpp"
#include "server/place.hpp"

namespace atl::server {

struct PreparedBackends {
  std::map<std::string, sandbox::Prepared> by_name;
  std::optional<unsigned> group;  // to be kept; no more than one
  bool as_root = false;
};

struct WantedBackend {
  std::string name;
  bool named = true;  // by the configuration; otherwise by a stored template alone
  bool operator==(const WantedBackend&) const = default;
};

// The most important first, each once: the default backend, those of templates, those that the
// configuration sets a field of.
std::vector<WantedBackend> wanted_backends(const config::Loaded& loaded,
                                           const std::vector<std::string>& of_templates);

// The first one must succeed; another one that fails, or that cannot work beside an earlier one, is
// left unprepared with a line in the log.
Result<PreparedBackends> prepare_backends(const sandbox::Registry& registry,
                                          const std::vector<WantedBackend>& wanted,
                                          const config::Config& config, const Place& place,
                                          const cli::Identity& identity);

// The backends that templates in the store name. A child process without privileges asks the store:
// nothing of it is opened, or made, as root. Empty when the store does not answer; the server will
// say why. Before the first thread.
std::vector<std::string> backends_of_templates(const config::Config& config, const Place& place,
                                               const cli::Identity& identity);

}  // namespace atl::server
