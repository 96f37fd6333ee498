// Precompiled, never included by name: what nearly every file includes anyway. A file still includes
// what it uses; the asan preset compiles without precompiled headers and finds what is missing.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
