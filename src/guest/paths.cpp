#include "guest/paths.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_time.hpp"
#include "confine/walls.hpp"

namespace atl::guest {
namespace {

UniqueFd open2(int dir, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  // O_PATH stands alone; otherwise a fifo must not stop us, nor a terminal become ours.
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, dir, path, &how, sizeof how)));
}

std::unexpected<Error> refuse_procfs() {
  return fail(Code::kForbidden,
              "Files of /proc cannot be reached this way; run a command instead.");
}

}  // namespace

// By raw call and without a look at the result: setfsuid reports nothing. The user's rights are
// proven by the kernel at each access, the guest's own are weaker still.
AsUser::AsUser(const GuestConfig& config)
    : switched_(config.user_uid != ::getuid() && confine::wall_up(confine::Wall::kOwnUids)) {
  if (!switched_) return;
  ::syscall(SYS_setfsgid, config.user_gid);
  ::syscall(SYS_setfsuid, config.user_uid);
}

AsUser::~AsUser() {
  if (!switched_) return;
  ::syscall(SYS_setfsuid, ::getuid());
  ::syscall(SYS_setfsgid, ::getgid());
}

std::unexpected<Error> fail_path(const char* what, std::string_view path) {
  int error = errno;
  std::string text(what);
  text.append(" \"").append(path).append("\" failed: ").append(::strerror(error)).append(".");
  return fail(Error(code_from_errno(error), std::move(text), error));
}

Result<std::string> absolute(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "A path cannot be empty or hold a NUL byte.");
  }
  if (path[0] == '/') return std::string(path);
  return std::string("/workspace/").append(path);
}

bool on_procfs(const UniqueFd& fd) {
  struct statfs status{};
  return ::fstatfs(fd.get(), &status) != 0 || status.f_type == PROC_SUPER_MAGIC;
}

Result<UniqueFd> open_path(std::string_view path, int flags) {
  ATOLL_TRY(std::string full, absolute(path));
  UniqueFd fd = open2(AT_FDCWD, full.c_str(), flags, 0);
  if (!fd) return fail_path("Opening", path);
  if (on_procfs(fd)) return refuse_procfs();
  return fd;
}

Result<UniqueFd> open_below(const UniqueFd& dir, const std::string& path, int flags) {
  UniqueFd fd = open2(dir.get(), path.c_str(), flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  if (!fd) return fail_path("Opening", path);
  return fd;
}

Result<UniqueFd> make_directories(std::string_view path, std::uint32_t mode) {
  ATOLL_TRY(std::string full, absolute(path));
  ATOLL_TRY(UniqueFd dir, open_path("/", O_PATH | O_DIRECTORY));
  std::string_view rest = full;
  while (!rest.empty()) {
    std::size_t slash = rest.find('/');
    std::string part(rest.substr(0, slash));
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (part.empty()) continue;
    if (::mkdirat(dir.get(), part.c_str(), mode & 07777) != 0 && errno != EEXIST) {
      // A read-only parent says EROFS or EACCES before it says that the folder is there.
      if (UniqueFd there = open2(dir.get(), part.c_str(), O_PATH | O_DIRECTORY, 0); !there) {
        return fail_path("Making", path);
      }
    }
    dir = open2(dir.get(), part.c_str(), O_PATH | O_DIRECTORY, 0);
    if (!dir) return fail_path("Making", path);
  }
  if (on_procfs(dir)) return refuse_procfs();
  return dir;
}

Result<Place> open_place(std::string_view path, bool make_parents) {
  ATOLL_TRY(std::string full, absolute(path));
  while (full.size() > 1 && full.back() == '/') full.pop_back();
  std::size_t slash = full.rfind('/');
  Place place{UniqueFd(), full.substr(slash + 1)};
  if (place.name.empty() || place.name == "." || place.name == "..") {
    return fail(Code::kInvalidArgument, "The path names no file of its own.");
  }
  full.resize(slash == 0 ? 1 : slash);
  auto dir = make_parents ? make_directories(full, 0755) : open_path(full, O_PATH | O_DIRECTORY);
  if (!dir) return fail(std::move(dir).error());
  place.dir = std::move(*dir);
  return place;
}

FileInfo file_info(const struct stat& status, std::string path) {
  FileInfo info;
  info.kind = S_ISREG(status.st_mode)   ? FileInfo::kFile
              : S_ISDIR(status.st_mode) ? FileInfo::kDirectory
              : S_ISLNK(status.st_mode) ? FileInfo::kSymlink
                                        : FileInfo::kOther;
  info.mode = status.st_mode & 07777;
  info.uid = status.st_uid;
  info.gid = status.st_gid;
  info.size = static_cast<std::uint64_t>(status.st_size);
  info.mtime_ns = file_time_ns(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  info.path = std::move(path);
  return info;
}

std::string read_link(int dir, const char* name) {
  char target[4096];
  ssize_t size = ::readlinkat(dir, name, target, sizeof target);
  return std::string(target, size > 0 ? static_cast<std::size_t>(size) : 0);
}

}  // namespace atl::guest
