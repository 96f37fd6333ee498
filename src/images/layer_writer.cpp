#include "images/layer_writer.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "images/entry_path.hpp"

namespace atl::images {
namespace {

constexpr const char* kOpaque = "user.overlay.opaque";

// Links on the way are followed, with `folder` as the root of all of them.
UniqueFd open_inside(const UniqueFd& folder, const std::string& path, std::uint64_t flags = 0) {
  open_how how{.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags,
               .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
  const char* name = path.empty() ? "." : path.c_str();
  // EAGAIN: something was renamed somewhere on this host while ".." was looked at.
  for (int attempt = 0;; ++attempt) {
    long fd = ::syscall(SYS_openat2, folder.get(), name, &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN || attempt == 100) return UniqueFd(static_cast<int>(fd));
  }
}

std::array<timespec, 2> times_of(const LayerEntry& entry) {
  timespec mtime{.tv_sec = entry.mtime, .tv_nsec = entry.mtime_nanoseconds};
  return {mtime, mtime};
}

bool is_whiteout(const struct stat& info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(0, 0);
}

}  // namespace

std::unexpected<Error> LayerWriter::cannot(const char* what, const std::string& path) const {
  int error = errno;
  return fail(Error(
      code_from_errno(error),
      std::string("cannot ") + what + " " + shown(path) + " of a layer: " + std::strerror(error),
      error));
}

Result<UniqueFd> LayerWriter::open_parent(const std::string& path) {
  UniqueFd found = open_inside(folder_, path);
  if (found) return found;
  if (errno != ENOENT) return cannot("enter", path);
  // Not in the archive, so made as an ordinary folder, and the same for what is above it.
  std::size_t slash = path.rfind('/');
  std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  ATOLL_TRY(UniqueFd above, open_parent(path.substr(0, slash == std::string::npos ? 0 : slash)));
  if (::mkdirat(above.get(), name.c_str(), 0755) != 0) {
    if (errno != EEXIST) return cannot("make", path);
    return fail(Code::kInvalidArgument, "a layer has a link that leads nowhere: " + shown(path));
  }
  if (!give_to_root({above.get(), name})) return cannot("finish", path);
  found = open_inside(folder_, path);
  if (!found) return cannot("enter", path);
  return found;
}

bool LayerWriter::give_to_root(const Place& at) const {
  return !keep_owners_ || ::fchownat(at.parent, at.name.c_str(), 0, 0, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<LayerWriter::Place> LayerWriter::place(const std::string& path) {
  std::size_t slash = path.rfind('/');
  std::string parent = path.substr(0, slash == std::string::npos ? 0 : slash);
  if (!parent_known_ || parent != parent_path_) {
    parent_known_ = false;
    ATOLL_TRY(parent_, open_parent(parent));
    parent_path_ = parent;
    parent_known_ = true;
  }
  return Place{parent_.get(), path.substr(slash == std::string::npos ? 0 : slash + 1)};
}

// True when a whiteout of this very layer stood there.
Result<bool> LayerWriter::clear(const Place& place) {
  struct stat info{};
  if (::fstatat(place.parent, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  parent_known_ = false;  // its path may lead elsewhere from now on
  bool folder = S_ISDIR(info.st_mode);
  if (::unlinkat(place.parent, place.name.c_str(), folder ? AT_REMOVEDIR : 0) != 0) {
    if (errno == ENOTEMPTY) {
      return fail(
          Code::kInvalidArgument,
          "a layer puts something else over a folder that it has filled: " + shown(place.name));
    }
    return cannot("replace", place.name);
  }
  return is_whiteout(info);
}

Result<void> LayerWriter::begin(const LayerEntry& entry) {
  entry_ = entry;
  if (entry.kind == EntryKind::kFolder) return make_folder(entry);
  if (entry.kind == EntryKind::kOpaque) return set_opaque(entry.path);
  ATOLL_TRY(Place at, place(entry.path));
  switch (entry.kind) {
    case EntryKind::kWhiteout: return make_whiteout(at);
    case EntryKind::kHardLink: return make_link(entry, at);
    case EntryKind::kSymlink: {
      ATOLL_CHECK(clear(at));
      if (::symlinkat(entry.link.c_str(), at.parent, at.name.c_str()) != 0) {
        return cannot("make", entry.path);
      }
      auto times = times_of(entry);
      constexpr int kSelf = AT_SYMLINK_NOFOLLOW;
      bool owned =
          !keep_owners_ || ::fchownat(at.parent, at.name.c_str(), entry.uid, entry.gid, kSelf) == 0;
      if (!owned || ::utimensat(at.parent, at.name.c_str(), times.data(), kSelf) != 0) {
        return cannot("finish", entry.path);
      }
      return {};
    }
    case EntryKind::kFile: {
      constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
      file_.reset(::openat(at.parent, at.name.c_str(), kNew, 0600));
      if (!file_ && errno == EEXIST) {
        ATOLL_CHECK(clear(at));
        file_.reset(::openat(at.parent, at.name.c_str(), kNew, 0600));
      }
      if (!file_) return cannot("make", entry.path);
      return {};
    }
    case EntryKind::kFolder:
    case EntryKind::kOpaque: break;
  }
  return {};
}

Result<void> LayerWriter::make_folder(const LayerEntry& entry) {
  if (!entry.path.empty()) {
    ATOLL_TRY(Place at, place(entry.path));
    struct stat info{};
    bool there = ::fstatat(at.parent, at.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there || !S_ISDIR(info.st_mode)) {
      ATOLL_TRY(bool replaces, clear(at));
      if (::mkdirat(at.parent, at.name.c_str(), 0700) != 0) return cannot("make", entry.path);
      if (replaces) ATOLL_CHECK(set_opaque(entry.path));
    }
  }
  LayerEntry kept = entry;
  kept.path = {};
  folders_.insert_or_assign(entry.path, std::move(kept));
  return {};
}

Result<void> LayerWriter::make_link(const LayerEntry& entry, const Place& at) {
  std::size_t slash = entry.link.rfind('/');
  std::string folder = entry.link.substr(0, slash == std::string::npos ? 0 : slash);
  std::string name = entry.link.substr(slash == std::string::npos ? 0 : slash + 1);
  UniqueFd other = open_inside(folder_, folder);
  struct stat info{};
  bool usable = other && ::fstatat(other.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode));
  if (!usable) {
    return fail(Code::kInvalidArgument,
                "a layer has a hard link to what it does not hold: " + shown(entry.path));
  }
  if (entry.link == entry.path) return {};
  ATOLL_CHECK(clear(at));
  if (::linkat(other.get(), name.c_str(), at.parent, at.name.c_str(), 0) != 0) {
    if (errno == ENOENT) {  // the two names were one
      return fail(Code::kInvalidArgument,
                  "a layer has a hard link to itself: " + shown(entry.path));
    }
    return cannot("link", entry.path);
  }
  return {};
}

// What the layer itself holds is hidden by no whiteout of its own; what lies below it is.
Result<void> LayerWriter::make_whiteout(const Place& at) {
  struct stat info{};
  if (::fstatat(at.parent, at.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return S_ISDIR(info.st_mode) ? set_opaque(entry_.path) : Result<void>();
  }
  if (::mknodat(at.parent, at.name.c_str(), S_IFCHR, makedev(0, 0)) != 0 || !give_to_root(at)) {
    return cannot("make a whiteout for", entry_.path);
  }
  return {};
}

Result<void> LayerWriter::set_opaque(const std::string& path) {
  ATOLL_TRY(UniqueFd folder, open_parent(path));
  if (::fsetxattr(folder.get(), kOpaque, "y", 1, 0) != 0) return cannot("close off", path);
  return {};
}

Result<void> LayerWriter::data(std::uint64_t offset, std::span<const char> bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return cannot("write", entry_.path);
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> LayerWriter::end() {
  if (entry_.kind != EntryKind::kFile) return {};
  UniqueFd file = std::move(file_);
  struct stat info{};
  bool whole = ::fstat(file.get(), &info) == 0;
  if (whole && static_cast<std::uint64_t>(info.st_size) < entry_.size) {  // ends in a hole
    whole = ::ftruncate(file.get(), static_cast<off_t>(entry_.size)) == 0;
  }
  if (!whole) return cannot("finish", entry_.path);
  return dress(file, entry_);
}

Result<void> LayerWriter::dress(const UniqueFd& fd, const LayerEntry& entry) const {
  for (const auto& [name, value] : entry.xattrs) {
    if (::fsetxattr(fd.get(), name.c_str(), value.data(), value.size(), 0) != 0) {
      return cannot("set an attribute of", entry.path);
    }
  }
  auto times = times_of(entry);
  bool owned = !keep_owners_ || ::fchown(fd.get(), entry.uid, entry.gid) == 0;
  if (!owned || ::fchmod(fd.get(), entry.mode) != 0 || ::futimens(fd.get(), times.data()) != 0) {
    return cannot("finish", entry.path);
  }
  return {};
}

// The deepest first: a folder that loses its write permission keeps what is in it.
Result<void> LayerWriter::finish() {
  for (auto at = folders_.rbegin(); at != folders_.rend(); ++at) {
    UniqueFd folder = open_inside(folder_, at->first, O_NOFOLLOW);
    // None: replaced by something else later in the same layer.
    if (folder) ATOLL_CHECK(dress(folder, at->second));
  }
  return {};
}

}  // namespace atl::images
