// From the configuration to what each part is told. A field that is not handed on here has no
// effect, which settings_test.cpp forbids.
#pragma once

#include <chrono>
#include <string>

#include "api/common/dialect.hpp"
#include "api/common/middleware.hpp"
#include "api/rest/rest.hpp"
#include "config/config.hpp"
#include "control/control.hpp"
#include "egress/protocol.hpp"
#include "http/server.hpp"
#include "observe/log.hpp"
#include "server/serve.hpp"

namespace atl::server {

// What the program itself is told, and none of its parts.
struct ProgramSettings {
  std::string data_folder;
  std::string store_url;
  bool keys_required = true;
  std::chrono::seconds drain_time{0};
  std::string policy_rules;  // a file; empty: the shipped ones
};
ProgramSettings program_settings(const config::Config& config);

log::Level log_level(const config::Config& config);
http::ServerOptions http_options(const config::Config& config);
// Without store and node.
control::ControlOptions control_options(const config::Config& config, const Place& place);
// What all backends are told.
sandbox::BackendOptions backend_folders(const Place& place);
// Without what single backends are told.
node::LocalNodeOptions node_options(const config::Config& config, const Place& place);
// Of one dialect, without the executor.
api::DialectOptions dialect_options(const config::Config& config,
                                    const config::DialectConfig& dialect);
// Of the program that connects sandboxes to the network.
egress::Settings egress_settings(const config::Config& config);
// Without what the running server knows.
api::rest::RestOptions rest_options(const config::Config& config);

}  // namespace atl::server
