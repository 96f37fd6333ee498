// Brings a database to the newest schema. The table schema_version holds the number of the last
// migration that it has seen.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace atl::store {

std::int64_t newest_schema();

// 0 for an empty database.
Result<std::int64_t> schema_version(Connection& db);

// Each migration in a transaction of its own. A database newer than this program is kUnsupported
// and is left alone. `up_to` is for tests.
Result<void> migrate(Connection& db, std::int64_t up_to = newest_schema());

// Whether the database is as new as this program, and no newer.
Result<void> require_newest(Connection& db);

}  // namespace atl::store
