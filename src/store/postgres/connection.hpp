// PostgreSQL through libpq, blocking, on the thread of whoever uses it.
//
// When the server goes away, calls fail with kNoAvailableRuntime; ready() connects again, at
// growing intervals, and calls in between fail at once. A commit whose answer was lost is looked up
// after connecting again, by a row that the transaction had counted up: what was committed is
// reported so, what was not is undone for certain and may be tried again. Only when the server
// stays away does is_unknown() hold.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace atl::store::postgres {

// The first connection must work: a wrong URL is found at the start and not at the first write.
Result<std::unique_ptr<Connection>> connect(std::string url);

}  // namespace atl::store::postgres
