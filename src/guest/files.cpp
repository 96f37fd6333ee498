// Operations on single files that are answered at once.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/operations.hpp"
#include "guest/paths.hpp"

namespace atl::guest {
namespace {

#ifndef SYS_fchmodat2
constexpr long SYS_fchmodat2 = 452;  // Linux 6.6, younger than Debian 12's headers
#endif

}  // namespace

Result<std::string> stat_file(const std::string& path, bool follow) {
  ATOLL_TRY(UniqueFd fd, open_path(path, O_PATH | (follow ? 0 : O_NOFOLLOW)));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_path("Looking at", path);
  FileInfo info = file_info(status, path);
  if (info.kind == FileInfo::kSymlink) info.target = read_link(fd.get(), "");
  return encoded(info);
}

Result<std::string> make_directory(const std::string& path, std::uint32_t mode, bool parents) {
  if (parents) {
    ATOLL_TRY(UniqueFd dir, make_directories(path, mode));
    return std::string();
  }
  ATOLL_TRY(Place place, open_place(path));
  if (::mkdirat(place.dir.get(), place.name.c_str(), mode & 07777) != 0) {
    return fail_path("Making", path);
  }
  return std::string();
}

Result<std::string> move_file(const std::string& from, const std::string& to, bool overwrite) {
  ATOLL_TRY(Place source, open_place(from));
  ATOLL_TRY(Place target, open_place(to));
  unsigned flags = overwrite ? 0 : 1;  // RENAME_NOREPLACE
  if (::syscall(SYS_renameat2, source.dir.get(), source.name.c_str(), target.dir.get(),
                target.name.c_str(), flags) == 0) {
    return std::string();
  }
  if (errno == EXDEV) {
    return fail(Error(Code::kUnsupported,
                      "The two paths are on different file systems: copy, then remove.", EXDEV));
  }
  return fail_path("Moving", from);
}

Result<std::string> remove_file(const std::string& path) {
  ATOLL_TRY(Place place, open_place(path));
  if (::unlinkat(place.dir.get(), place.name.c_str(), 0) == 0) return std::string();
  if (errno == EISDIR && ::unlinkat(place.dir.get(), place.name.c_str(), AT_REMOVEDIR) == 0) {
    return std::string();
  }
  return fail_path("Removing", path);
}

Result<std::string> change_mode(const std::string& path, std::uint32_t mode) {
  ATOLL_TRY(UniqueFd fd, open_path(path, O_PATH));
  mode &= 07777;
  if (::syscall(SYS_fchmodat2, fd.get(), "", mode, AT_EMPTY_PATH) == 0) return std::string();
  if (errno != ENOSYS) return fail_path("Changing the mode of", path);
  // Before Linux 6.6: through our own descriptor, the one magic link that we made ourselves.
  std::string self = "/proc/self/fd/" + std::to_string(fd.get());
  if (::chmod(self.c_str(), mode) != 0) return fail_path("Changing the mode of", path);
  return std::string();
}

}  // namespace atl::guest
