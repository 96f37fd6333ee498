// Precompiled: plain.hpp, and what coroutines need.
#pragma once

#include "async/task.hpp"
#include "plain.hpp"
