#include "node/host_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "base/file_time.hpp"
#include "base/ids.hpp"
#include "base/safe_names.hpp"
#include "base/write_all.hpp"

namespace atl::node {
namespace {

using sandbox::FileInfo;

std::unexpected<Error> cannot(const char* what, const std::string& path, int error = errno) {
  return fail(Error(code_from_errno(error),
                    std::string("cannot ") + what + " " + path + ": " + std::strerror(error),
                    error));
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

TreeEntry entry_of(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) {
    return {.kind = FileInfo::kDirectory, .mode = info.st_mode & 0777u};
  }
  if (S_ISLNK(info.st_mode)) return {.kind = FileInfo::kSymlink};
  if (!S_ISREG(info.st_mode)) return {.kind = FileInfo::kOther};
  return {.kind = FileInfo::kFile,
          .mode = info.st_mode & 0777u,
          .size = static_cast<std::uint64_t>(info.st_size),
          .mtime_ns = file_time_ns(info.st_mtim.tv_sec, info.st_mtim.tv_nsec)};
}

Result<void> look_at(int folder, const std::string& above, std::uint32_t depth, TreeMap& found);

Result<void> look_into(int folder, const std::string& name, const std::string& path,
                       std::uint32_t depth, TreeMap& found) {
  UniqueFd inner(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner) return cannot("read", path);
  return look_at(inner.release(), path + "/", depth + 1, found);
}

// Closes `folder`.
Result<void> look_at(int folder, const std::string& above, std::uint32_t depth, TreeMap& found) {
  std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(folder), &::closedir);
  if (!listing) {
    ::close(folder);
    return fail_errno("reading a workspace");
  }
  while (const dirent* each = ::readdir(listing.get())) {
    std::string name = each->d_name;
    if (name == "." || name == ".." || !is_safe_name(above + name)) continue;
    struct stat info{};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return cannot("read", above + name);
    }
    TreeEntry entry = entry_of(info);
    if (entry.kind == FileInfo::kOther) continue;
    if (entry.kind == FileInfo::kSymlink) {
      char target[PATH_MAX] = {};
      if (::readlinkat(folder, name.c_str(), target, sizeof target - 1) < 0) {
        return cannot("read", above + name);
      }
      entry.target = target;
    }
    if (found.size() >= kMaxTreeEntries || depth >= kMaxTreeDepth) {
      return fail(Code::kTooLarge, "the workspace's folder on the host holds too many files");
    }
    std::string path = above + name;
    bool is_folder = entry.kind == FileInfo::kDirectory;
    found.emplace(path, std::move(entry));
    if (is_folder) ATOLL_CHECK(look_into(folder, name, path, depth, found));
  }
  return {};
}

}  // namespace

Result<HostTree> HostTree::open(const std::string& path, const std::string& beside) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
  UniqueFd root(::open(path.c_str(), kFlags));
  if (!root) return fail_errno("opening the workspace's folder");
  UniqueFd other(::open(beside.c_str(), kFlags));
  if (!other) return fail_errno("opening the folder of workspaces");
  return HostTree(std::move(root), std::move(other), ".part-" + make_sortable_id());
}

HostTree::~HostTree() {
  if (file_) (void)::unlinkat(beside_.get(), part_.c_str(), 0);
}

Result<UniqueFd> HostTree::open_below(const std::string& path, std::uint64_t flags) const {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  UniqueFd fd(
      static_cast<int>(::syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how)));
  if (!fd) return cannot("open", path);
  return fd;
}

Result<UniqueFd> HostTree::parent_of(const std::string& path) const {
  if (!is_safe_name(path)) return fail(Code::kInvalidArgument, "invalid file name: " + path);
  std::size_t slash = path.rfind('/');
  return open_below(slash == path.npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
}

Result<TreeMap> HostTree::look() const {
  TreeMap found;
  int folder = ::openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return fail_errno("reading a workspace");
  ATOLL_CHECK(look_at(folder, "", 0, found));
  return found;
}

Result<UniqueFd> HostTree::read(const std::string& path) const {
  return open_below(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);  // a pipe must not hold us up
}

Result<void> HostTree::remove(const std::string& path, const TreeEntry& entry) const {
  ATOLL_TRY(UniqueFd parent, parent_of(path));
  int flags = entry.kind == FileInfo::kDirectory ? AT_REMOVEDIR : 0;
  if (::unlinkat(parent.get(), name_of(path).c_str(), flags) == 0 || errno == ENOENT ||
      errno == ENOTEMPTY) {
    return {};
  }
  return cannot("remove", path);
}

Result<void> HostTree::make(const std::string& path, const TreeEntry& entry) const {
  ATOLL_TRY(UniqueFd parent, parent_of(path));
  std::string name = name_of(path);
  if (entry.kind == FileInfo::kDirectory) {
    if (::mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
      return cannot("make", path);
    }
    ATOLL_TRY(UniqueFd made, open_below(path, O_RDONLY | O_DIRECTORY));
    if (::fchmod(made.get(), entry.mode) != 0) return cannot("make", path);
    return {};
  }
  if (!is_safe_link(path, entry.target)) return {};
  (void)::unlinkat(parent.get(), name.c_str(), 0);
  if (::symlinkat(entry.target.c_str(), parent.get(), name.c_str()) != 0) {
    return cannot("link", path);
  }
  return {};
}

Result<void> HostTree::begin() {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  file_.reset(::openat(beside_.get(), part_.c_str(), kFlags, 0600));
  if (!file_) return fail_errno("making a file in a workspace");
  return {};
}

Result<void> HostTree::write(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) return fail_errno("writing a file of a workspace");
  return {};
}

Result<void> HostTree::end(const std::string& path, const TreeEntry& entry) {
  timespec times[] = {file_timespec(entry.mtime_ns), file_timespec(entry.mtime_ns)};
  ATOLL_TRY(UniqueFd parent, parent_of(path));
  if (::fchmod(file_.get(), entry.mode) != 0 || ::futimens(file_.get(), times) != 0 ||
      ::renameat(beside_.get(), part_.c_str(), parent.get(), name_of(path).c_str()) != 0) {
    return cannot("write", path);
  }
  file_.reset();
  return {};
}

Result<void> HostTree::sync() const {
  if (::syncfs(root_.get()) != 0) return fail_errno("syncing a workspace");
  return {};
}

}  // namespace atl::node
