#include <sys/stat.h>

#include <cstring>

#include "engine/zygote.hpp"

namespace atl::engine {

std::uint64_t ZygoteParts::stamp() const {
  struct stat info{};
  if (!driver || ::fstat(driver.get(), &info) != 0) return 0;
  auto changed =
      static_cast<std::uint64_t>(info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
  return info.st_ino ^ changed;
}

bool ZygotePlace::is(const ZygoteKey& other, std::uint64_t stamp) const {
  return serves != 0 && driver == stamp && std::memcmp(&key, &other, sizeof key) == 0;
}

}  // namespace atl::engine
