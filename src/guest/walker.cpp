#include "guest/walker.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "guest/paths.hpp"

namespace atl::guest {
namespace {
constexpr std::size_t kEntriesBuffer = 4096;
}

Walker::Walker(UniqueFd root, std::size_t max_depth)
    : max_depth_(std::clamp<std::size_t>(max_depth, 1, kMaxDepth)) {
  struct stat status{};
  ::fstat(root.get(), &status);
  levels_.push_back({.dir = std::move(root), .device = status.st_dev, .path_size = 0});
}

// Null at the end. By hand instead of readdir: 32 KiB a level would be 8 MiB at full depth.
const char* Walker::next_name(Level& level) {
  for (;;) {
    if (level.at == level.filled) {
      level.entries.resize(kEntriesBuffer);
      long size = ::syscall(SYS_getdents64, level.dir.get(), level.entries.data(), kEntriesBuffer);
      if (size <= 0) return nullptr;
      level.at = 0;
      level.filled = static_cast<std::size_t>(size);
    }
    auto* entry = reinterpret_cast<dirent64*>(level.entries.data() + level.at);
    level.at += entry->d_reclen;
    if (::strcmp(entry->d_name, ".") != 0 && ::strcmp(entry->d_name, "..") != 0) {
      return entry->d_name;
    }
  }
}

Walker::Step Walker::next() {
  Step step;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    step.dir = level.dir.get();
    if (const char* name = next_name(level)) {
      // Gone since the directory was read: then it was not there.
      if (::fstatat(level.dir.get(), name, &step.status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      step.kind = Step::kEntry;
      step.name = name;
      step.path = path_ + step.name;
      return step;
    }
    if (levels_.size() == 1) return Step{};
    step.kind = Step::kLeave;
    step.name = std::move(level.name);
    path_.resize(level.path_size);
    step.path = path_ + step.name;
    levels_.pop_back();
    step.dir = levels_.back().dir.get();
    return step;
  }
  return step;
}

bool Walker::enter(const Step& step) {
  if (levels_.size() >= max_depth_) {
    incomplete_ = incomplete_ || max_depth_ == kMaxDepth;
    return false;
  }
  UniqueFd dir(::openat(levels_.back().dir.get(), step.name.c_str(),
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!dir || ::fstat(dir.get(), &status) != 0) {
    incomplete_ = true;
    return false;
  }
  if (status.st_dev != levels_.back().device && on_procfs(dir)) return false;
  levels_.push_back({.dir = std::move(dir),
                     .device = status.st_dev,
                     .name = step.name,
                     .path_size = path_.size()});
  path_.append(step.name).push_back('/');
  return true;
}

}  // namespace atl::guest
