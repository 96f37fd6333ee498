// The reads that are more than one row by its key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/connection.hpp"
#include "store/store.hpp"

namespace atl::store {

Result<std::vector<model::Session>> list_sessions(Connection& db, const SessionFilter& filter,
                                                  const Page& page);
Result<std::vector<model::Execution>> list_executions(Connection& db, const ExecutionFilter& filter,
                                                      const Page& page);

Result<std::vector<model::ApprovalInfo>> list_approvals(Connection& db,
                                                        const ApprovalFilter& filter,
                                                        const Page& page);

// A search goes through rows that have no index for it: so many at a time that nobody waits long.
struct AuditPortion {
  std::vector<AuditRow> rows;
  std::string looked_to;  // this id and newer ones; empty: to the end
};
Result<AuditPortion> list_audit(Connection& db, const AuditFilter& filter, const Page& page);

struct FoundOutput {
  model::Output output;
  bool in_file = false;  // then the output is still to be read
};
// Empty when the execution has printed nothing yet.
Result<FoundOutput> read_output(Connection& db, const ExecutionId& id);

Result<std::vector<std::string>> executions_with_files(Connection& db);

}  // namespace atl::store
