// The protocols of E2B: its REST API, envd (the agent inside a sandbox) and the code interpreter,
// all on the port of the server. Requests are translated onto the services of control.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/common/dialect.hpp"
#include "control/control.hpp"

namespace atl::api::e2b {

struct E2bOptions {
  DialectOptions common;
  bool keys_required = true;
  std::string preview_domain = {};      // previews below it, beside those below localhost
  std::function<bool()> draining = {};  // true: streams without an end finish
};

// In the order in which they are asked. `control` outlives them.
Dialects make_dialects(control::Control& control, const E2bOptions& options);

}  // namespace atl::api::e2b
