#include "guest/atomic_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_time.hpp"
#include "base/write_all.hpp"

namespace atl::guest {

Result<AtomicFile> AtomicFile::create(const GuestConfig& config, Place place) {
  static std::uint64_t counter = 0;
  struct stat status{};
  if (::fstatat(place.dir.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
    return fail(Code::kInvalidArgument, "\"" + place.name + "\" exists and is not a file.");
  }
  for (int attempt = 0; attempt < 100; ++attempt) {  // a restarted guest counts from the start
                                                     // again
    std::string temporary = ".atoll-put-" + std::to_string(++counter);
    UniqueFd fd(::openat(place.dir.get(), temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd) return AtomicFile(config, std::move(place), std::move(temporary), std::move(fd));
    if (errno != EEXIST) return fail_path("Writing", place.name);
  }
  return fail(Code::kConflict, "The folder is full of half-written files.");
}

AtomicFile::~AtomicFile() {
  if (!fd_) return;
  AsUser as_user(*config_);
  ::unlinkat(place_.dir.get(), temporary_.c_str(), 0);
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (!write_all(fd_.get(), bytes)) return fail_path("Writing", place_.name);
  return {};
}

Result<void> AtomicFile::commit(std::uint32_t mode, std::optional<std::int64_t> mtime_ns) {
  AsUser as_user(*config_);
  if (::fchmod(fd_.get(), mode & 0777) != 0) return fail_path("Writing", place_.name);
  if (mtime_ns) {
    timespec times[2] = {file_timespec(*mtime_ns), file_timespec(*mtime_ns)};
    if (::futimens(fd_.get(), times) != 0) return fail_path("Writing", place_.name);
  }
  if (::renameat(place_.dir.get(), temporary_.c_str(), place_.dir.get(), place_.name.c_str()) !=
      0) {
    return fail_path("Writing", place_.name);
  }
  fd_.reset();
  return {};
}

}  // namespace atl::guest
