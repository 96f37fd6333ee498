// The figures of contract §9 that are not those of requests: what happened is counted from
// control's events, what is there now is read when somebody asks.
#pragma once

#include "async/task.hpp"
#include "control/control.hpp"
#include "observe/metrics.hpp"

namespace atl::api::rest {

// Until it is cancelled. Both outlive it.
async::Task<void> follow_events(control::Control* control, observe::Metrics* metrics);

// Gauges, and counters that control keeps itself.
void refresh(control::Control& control, observe::Metrics& metrics);

}  // namespace atl::api::rest
