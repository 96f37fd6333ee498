// The output of an execution, both streams in order of arrival, piece by piece: for clients that
// ask again and again instead of holding a stream.
#pragma once

#include <cstdint>
#include <string>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "model/execution.hpp"

namespace atl::api {

inline constexpr std::size_t kMaxLogPiece = 1u << 20;

struct LogPiece {
  std::string bytes;       // whole characters, unless the execution has ended in the middle of one
  std::uint64_t next = 0;  // to go on behind
};

// From byte `cursor`; one that is beyond the end gives nothing and stays. `row` outlives the call.
async::Task<Result<LogPiece>> read_log(async::Pool* pool, const model::Execution* row,
                                       std::uint64_t cursor, std::size_t most);

}  // namespace atl::api
