// Snapshots on disk: DATA/snapshots/ID, written whole or not at all, a piece at a time both ways.
// Called on the I/O thread; the disk is touched by the API's pool.
#pragma once

#include <string>
#include <vector>

#include "api/rest/call.hpp"

namespace atl::api::rest {

// Its size, which `place` has grown by. Nothing is left of one that fails: kQuotaExceeded,
// kStorageFull.
Task<Result<std::uint64_t>> save_snapshot(RestPtr rest, sandbox::Sandbox* sandbox, std::string file,
                                          node::Ledger::Reservation* place);
Task<void> remove_snapshot_file(RestPtr rest, std::string file);

// At a start, before any request: what is there now, and the removal of what has no row.
std::vector<std::string> snapshot_files(const Rest& rest);
Task<void> remove_forgotten(RestPtr rest, std::vector<std::string> files);

// For Sessions::set_restore(). Whose snapshot it is was checked before.
control::Sessions::Restore restore_from(std::weak_ptr<Rest> rest);

}  // namespace atl::api::rest
