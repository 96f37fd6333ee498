// Walks a directory tree step by step, without following symlinks, at most 256 levels deep, so that
// a long walk can be cut into slices. Parents come before what they hold.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::guest {

class Walker {
 public:
  static constexpr std::size_t kMaxDepth = 256;

  explicit Walker(UniqueFd root, std::size_t max_depth = kMaxDepth);

  struct Step {
    enum Kind { kEntry, kLeave, kEnd } kind = kEnd;
    int dir = -1;  // the directory that holds it; valid until the next step
    std::string name;
    std::string path;  // relative to the root
    struct stat status{};
  };
  // kEntry for each thing found; kLeave after the last entry of a directory that was entered.
  Step next();
  // Goes into the directory just found. Silently not beyond the depth, into another user's folder
  // or onto procfs.
  bool enter(const Step& step);
  // Some directory could not be entered: what was found is not all.
  bool incomplete() const { return incomplete_; }

 private:
  struct Level {
    UniqueFd dir;
    dev_t device;
    std::string name;
    std::size_t path_size;  // of path_ before this level's name
    std::vector<char> entries;
    std::size_t at = 0;
    std::size_t filled = 0;
  };
  const char* next_name(Level& level);

  std::vector<Level> levels_;
  std::string path_;  // of the deepest open directory, with a slash at its end
  std::size_t max_depth_;
  bool incomplete_ = false;
};

}  // namespace atl::guest
