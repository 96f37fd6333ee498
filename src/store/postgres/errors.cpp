#include "store/postgres/errors.hpp"

#include <string>

namespace atl::store::postgres {

bool means_lost(std::string_view sqlstate) {
  return sqlstate.empty() || sqlstate.starts_with("08") || sqlstate.starts_with("57P");
}

std::unexpected<Error> fail_sqlstate(std::string_view sqlstate) {
  if (means_lost(sqlstate)) {
    return fail(Code::kNoAvailableRuntime, "the database cannot be reached");
  }
  if (sqlstate == "55P03") {
    return fail(Code::kNoAvailableRuntime, "another connection holds what the change needs");
  }
  if (sqlstate == "57014") {
    return fail(Code::kNoAvailableRuntime, "the database took too long");
  }
  if (sqlstate == "53100") return fail(Code::kResourceExhausted, "the database's disk is full");
  if (sqlstate.starts_with("53")) {
    return fail(Code::kNoAvailableRuntime, "the database has no room for more work");
  }
  if (sqlstate == "23503") {
    return fail(Code::kNotFound, "the store has no row that this change belongs to");
  }
  if (sqlstate.starts_with("23")) {
    return fail(Code::kConflict, "the change conflicts with stored rows");
  }
  if (sqlstate.starts_with("22")) {
    return fail(Code::kInvalidArgument, "the database cannot hold a value of the change");
  }
  if (sqlstate == "25006") return fail(Code::kForbidden, "the database may only be read");
  if (sqlstate == "42501") return fail(Code::kForbidden, "the database refuses this user");
  if (sqlstate.starts_with("58")) return fail(Code::kIo, "the database's disk fails");
  return fail(Code::kInternal, "the database failed with code " + std::string(sqlstate));
}

}  // namespace atl::store::postgres
