// The real srt (npm's @anthropic-ai/sandbox-runtime): where it lies on this machine, whether
// everything that it needs is there, and how it is fetched. All of it blocks.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace atl::backends::srt {

inline constexpr const char* kVersion = "0.0.83";
inline constexpr const char* kNodeVersion = "22.23.3";  // fetched where the host's is older than
inline constexpr int kNodeMajor = 22;                   // this
inline constexpr int kNodeMinor = 12;

struct Package {
  std::string folder;  // holds all of it
  std::string node;
  std::string program;  // srt's own script
};

// ATOLL_SRT_FOLDER, or a folder of the user's cache, or of the system's. kHostUnsupported says what
// to do.
Result<Package> find_package();
// bwrap, socat and the like.
Result<void> check_programs();

// Into the first of those folders that is this user's to write; nothing when it is there already,
// with a Node that is young enough.
Result<void> install_package(const std::function<void(const std::string&)>& say);
std::string install_folder();
// The folder's parts, whether they exist or not.
Package package_in(const std::string& folder);

}  // namespace atl::backends::srt
