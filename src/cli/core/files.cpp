#include "cli/core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

std::unexpected<Error> too_large(const std::string& what, std::uint64_t most) {
  return fail(Code::kTooLarge,
              what + " is larger than " + format_size(most) + ", the most that is taken");
}

std::unexpected<Error> cannot(const std::string& what, int error) {
  return fail(
      Error(code_from_errno(error), "cannot read " + what + ": " + std::strerror(error), error));
}

}  // namespace

Result<std::string> read_all(const UniqueFd& fd, std::uint64_t most, const std::string& what) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return cannot(what, errno);
  if (S_ISDIR(info.st_mode)) return cannot(what, EISDIR);
  bool regular = S_ISREG(info.st_mode);
  if (regular && static_cast<std::uint64_t>(info.st_size) > most) return too_large(what, most);

  std::string bytes;
  std::size_t step = regular ? static_cast<std::size_t>(info.st_size) + 1 : 65536;
  std::size_t filled = 0;
  while (true) {
    if (bytes.size() - filled < 4096) {
      bytes.resize(std::max(bytes.size() * 2, filled + std::max<std::size_t>(step, 4096)));
    }
    ssize_t got = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(what, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > most) return too_large(what, most);
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::string> read_file(const std::string& path, std::uint64_t most,
                              const std::string& what) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return cannot(what, errno);
  return read_all(fd, most, what);
}

Result<std::string> read_stdin(std::uint64_t most, const std::string& what) {
  UniqueFd fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd) return cannot(what, errno);
  return read_all(fd, most, what);
}

bool is_regular_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace atl::cli
