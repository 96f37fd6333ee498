// One server for a data folder: a lock on DATA/lock that the kernel lets go of when the process
// ends, however it ends. The file holds the process id of the owner.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::store {

// Makes the folder (0700) when it is missing.
Result<void> make_data_folder(const std::string& folder);

// Waits that long for the owner, who may be a command that is about to end; blocking. Then
// kConflict, and the message names the owner's process.
Result<UniqueFd> lock_data_folder(const std::string& folder, std::chrono::milliseconds patience);
// The same question by a process that may be root, while the folder is somebody else's, who can
// give the lock's name to any file: nothing is made or written.
Result<void> wait_until_free(const std::string& folder, std::chrono::milliseconds patience);

}  // namespace atl::store
