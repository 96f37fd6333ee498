// How the engine fails: with the step that did and its errno, which is all that a reply carries.
#pragma once

#include <cerrno>
#include <expected>

#include "base/try.hpp"
#include "engine/launcher_protocol.hpp"

namespace atl::engine {

using Failure = guest::StartFailure;

template <typename T>
using Outcome = std::expected<T, Failure>;

inline std::unexpected<Failure> failed(Step step, int error = errno) {
  return std::unexpected(Failure{step, error});
}

}  // namespace atl::engine
