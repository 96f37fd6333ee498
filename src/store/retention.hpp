// One portion of what is old. Small, because everybody's writes wait behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/connection.hpp"
#include "store/store.hpp"

namespace atl::store {

struct RemovedPortion {
  std::uint64_t rows = 0;          // sessions, executions, contexts, answers, audit
  std::vector<std::string> files;  // executions whose output file is to go once this is committed
};

// rows is 0 when nothing is left.
Result<RemovedPortion> remove_portion(Connection& db, const Retention& retention);

}  // namespace atl::store
