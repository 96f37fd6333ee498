// Starting srt with a guest inside.
#pragma once

#include <string>
#include <vector>

#include "backends/srt/package.hpp"
#include "base/child.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::backends::srt {

// The parts of a sandbox's folder.
struct Folder {
  std::string path;
  std::string run;  // srt's own sockets; in the folder, unless their paths would be too long
  std::string settings() const { return path + "/settings.json"; }
  std::string ghosts() const { return path + "/ghosts"; }
  std::string log() const { return path + "/srt.log"; }
  std::string workspace() const { return path + "/workspace"; }
  std::string tmp() const { return path + "/tmp"; }
};

struct Command {
  Package package;
  Folder folder;
  std::string guest;             // path of atoll-guest
  std::uint64_t data_bytes = 0;  // of each program; 0: no limit
  std::uint32_t open_files = 0;  // the same
};

struct Started {
  Child child;
  pid_t pid = 0;
  UniqueFd stream;  // to the guest
};

// The folders exist and the settings are written. Nothing of this process's environment goes along
// but the way to the network.
Result<Started> start_srt(const Command& command);

// What srt said last, as the end of a sentence; for errors.
std::string last_words(const std::string& log);

}  // namespace atl::backends::srt
