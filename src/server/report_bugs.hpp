// Exceptions that end a background task: one line of the log and a counter each.
#pragma once

#include "observe/metrics.hpp"

namespace atl::server {

// For the rest of the process; `metrics` must live as long.
void report_bugs(observe::Metrics& metrics = observe::metrics());

}  // namespace atl::server
