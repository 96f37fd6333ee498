#include "cli/run/mounts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace atl::cli {
namespace {

std::unexpected<Error> bad(std::string sentence) {
  return fail(Code::kInvalidArgument, std::move(sentence));
}

}  // namespace

Result<void> check_inside_path(std::string_view path, const std::string& option) {
  std::string shown = option + " " + std::string(path.substr(0, 80));
  if (!path.starts_with('/')) return bad(shown + ": the path inside must be absolute, as in /data");
  if (path.size() > 255) return bad(shown + "…: the path inside is longer than 255 bytes");
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    if (part == "." || part == "..") {
      return bad(shown + ": the path inside must not have . or .. in it");
    }
  }
  return {};
}

Result<MountText> parse_mount(std::string_view text) {
  MountText mount;
  std::string_view rest = text;
  if (rest.ends_with(":rw") || rest.ends_with(":ro")) {
    mount.read_only = rest.ends_with(":ro");
    rest.remove_suffix(3);
  }
  std::string shown = "--mount " + std::string(text.substr(0, 200));
  std::size_t colon = rest.rfind(":/");
  if (colon == std::string_view::npos || colon == 0) {
    return bad(shown + ": write it as SRC:DST or SRC:DST:rw, DST being an absolute path inside");
  }
  mount.source = rest.substr(0, colon);
  mount.target = rest.substr(colon + 1);
  if (std::size_t mode = mount.target.find(':'); mode != std::string::npos) {
    return bad(shown + ": after the second colon only ro or rw may stand");
  }
  while (mount.target.size() > 1 && mount.target.ends_with('/')) mount.target.pop_back();
  ATOLL_CHECK(check_inside_path(mount.target, "--mount"));
  for (std::string_view kept : {"/", "/proc", "/dev", "/sys"}) {
    bool below = kept != "/" && mount.target.starts_with(std::string(kept) + "/");
    if (mount.target == kept || below) {
      return bad(shown + ": nothing can be mounted over " + std::string(kept));
    }
  }
  return mount;
}

Result<sandbox::Mount> open_mount(const std::string& text) {
  ATOLL_TRY(MountText parsed, parse_mount(text));
  std::string shown = "--mount " + text.substr(0, 200);
  struct stat info{};
  if (::stat(parsed.source.c_str(), &info) != 0) {
    int error = errno;
    std::string why =
        error == ENOENT ? "does not exist" : std::string("cannot be used: ") + std::strerror(error);
    return fail(
        Error(code_from_errno(error), shown + ": the source " + parsed.source + " " + why, error));
  }
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
    return bad(shown + ": the source must be a folder or a regular file");
  }
  // Opened as it will be used, not by O_PATH: the descriptor proves that the caller may.
  int access = parsed.read_only || S_ISDIR(info.st_mode) ? O_RDONLY : O_RDWR;
  UniqueFd fd(::open(parsed.source.c_str(), access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  bool allowed = fd && (parsed.read_only ||
                        ::faccessat(AT_FDCWD, parsed.source.c_str(), W_OK, AT_EACCESS) == 0);
  if (!allowed) {
    int error = errno;
    return fail(Error(code_from_errno(error),
                      shown + ": the source cannot be opened: " + std::strerror(error), error));
  }
  return sandbox::Mount{
      .source = std::move(fd), .target = std::move(parsed.target), .read_only = parsed.read_only};
}

}  // namespace atl::cli
