// What a sandbox of srt leaves when it does not end by itself: processes, which carry the path of
// its folder in their environment, and that folder. All of it blocks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace atl::backends::srt {

inline constexpr const char* kMarker = "ATOLL_SRT_SANDBOX";

// Those that this user may look at; what runs inside ends with them.
std::vector<pid_t> processes_of(const std::string& folder);
// Gives them so long to end by themselves, then kills them.
Result<void> end_processes(const std::string& folder, std::chrono::milliseconds grace);
// Whatever its modes are. Follows no link. Gone already is fine.
Result<void> remove_tree(const std::string& path);
// The empty files and folders among these: srt puts them where a path that it denies does not
// exist, and takes them away unless it is killed.
void remove_ghosts(const std::vector<std::string>& paths);

}  // namespace atl::backends::srt
