#include "base/program_folder.hpp"

#include <limits.h>
#include <unistd.h>

#include <string_view>

namespace atl {

Result<std::string> program_path() {
  char path[PATH_MAX];
  ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return fail_errno("finding this program");
  return std::string(path, static_cast<std::size_t>(size));
}

Result<std::string> program_folder() {
  ATOLL_TRY(std::string path, program_path());
  path.resize(path.rfind('/'));
  return path;
}

}  // namespace atl
