// Snapshots on disk: DATA/snapshots/ID, written whole or not at all. Called on the I/O thread; the
// disk is touched by the API's pool.
#pragma once

#include <string>
#include <vector>

#include "api/rest/call.hpp"

namespace atl::api::rest {

Task<Result<void>> write_snapshot(RestPtr rest, std::string file, std::string bytes);
Task<Result<std::string>> read_snapshot(RestPtr rest, std::string file);
Task<void> remove_snapshot_file(RestPtr rest, std::string file);

// At a start, before any request: what is there now, and the removal of what has no row.
std::vector<std::string> snapshot_files(const Rest& rest);
Task<void> remove_forgotten(RestPtr rest, std::vector<std::string> files);

// For Sessions::set_restore(). Whose snapshot it is was checked before.
control::Sessions::Restore restore_from(std::weak_ptr<Rest> rest);

}  // namespace atl::api::rest
