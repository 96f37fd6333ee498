// Files and processes of a session, as clients see them. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::model {

struct File {
  enum class Kind { kOther, kFile, kDirectory, kSymlink };

  std::string path;  // relative to the workspace where it is below it; "": the workspace itself
  Kind kind = Kind::kOther;
  std::uint32_t mode = 0;  // permission bits
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::string target;     // of a symlink
  std::uint32_t uid = 0;  // of its owner, as programs in the sandbox see it
  std::uint32_t gid = 0;
};

struct FilePage {
  std::string path;         // of the folder, as in File
  std::vector<File> files;  // by path
  std::string next;         // to go on behind, below the folder; empty: this is the last page
  bool truncated = false;   // there are more
};

// A symbolic link to be made below a folder.
struct FileLink {
  std::string name;    // relative to the folder
  std::string target;  // relative to the folder that holds the link
};

struct FileChange {
  enum class Kind { kCreated, kModified, kRemoved, kMoved, kOverflow };

  Kind kind = Kind::kOverflow;
  std::string path;  // as in File
};

struct Process {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  char state = '?';
  std::uint64_t memory_bytes = 0;
  std::uint64_t cpu_ms = 0;
  std::string command;
};

}  // namespace atl::model
