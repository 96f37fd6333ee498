// One write that shows by itself whether it happened whole: a session, its execution with an output
// and an answer, all made from the session's id. Shared by the cases and by store_writer.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace atl::store {

// Every fourth has an output large enough for a file.
std::vector<Change> make_deed(const SessionId& id, std::uint64_t number);

// Nothing when all of it is there, otherwise what is missing. `store` outlives the task.
async::Task<std::string> missing_of_deed(Store* store, SessionId id);

}  // namespace atl::store
