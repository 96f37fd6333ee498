#include "confine/mounts.hpp"

#include <limits.h>

#include <cstring>

namespace atl::confine {

bool make_mount_point(const char* path, bool folder) {
  char part[PATH_MAX] = {};
  std::strncpy(part, path, sizeof part - 1);
  for (char* at = part + 1; (at = std::strchr(at, '/')) != nullptr; ++at) {
    *at = '\0';
    if (!make_folder(AT_FDCWD, part, 0755) && errno != EROFS) return false;
    *at = '/';
  }
  return (folder ? ::mkdir(path, 0755) : ::mknod(path, S_IFREG | 0644, 0)) == 0 || errno == EEXIST;
}

}  // namespace atl::confine
