// Rows of the audit, each behind the one before it (model/audit_chain.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/audit_chain.hpp"
#include "store/connection.hpp"
#include "store/store.hpp"

namespace atl::store {

// Within a writer's transaction: no other writer adds to this chain until it ends. The same row
// again changes nothing.
Result<void> add_to_chain(Connection& db, const AuditRow& row);
Result<std::vector<AuditRow>> read_chain(Connection& db, const std::string& chain,
                                         std::int64_t after, std::size_t limit);
Result<std::vector<model::AuditHead>> read_heads(Connection& db);
// The oldest rows of each chain with ids below `first_kept`, at most `most`. How many went.
Result<std::uint64_t> shorten_chains(Connection& db, const std::string& first_kept,
                                     std::int64_t most);

}  // namespace atl::store
