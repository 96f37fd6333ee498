// RUN/boxes/ID: what a restarted launcher must know of a living sandbox. Written by the launcher for
// the launcher; nobody else can write there.
#pragma once

#include "engine/box.hpp"

namespace atl::engine {

void write_record(const LauncherState& state, const Box& box);

}  // namespace atl::engine
