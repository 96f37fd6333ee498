// Carrying out one change of a write, inside the writer's transaction.
#pragma once

#include "store/connection.hpp"
#include "store/store.hpp"

namespace atl::store {

// The change is only looked at.
Result<void> apply_change(Connection& db, Change& change);

// Outputs above this are kept in a file (output_files.hpp) instead of the row.
inline constexpr std::uint64_t kMaxOutputInRow = std::uint64_t{64} * 1024;
bool belongs_in_file(const model::Output& output);

}  // namespace atl::store
