#include <sys/resource.h>

#include <algorithm>

#include "observe/log.hpp"
#include "server/serve.hpp"

namespace atl::server {

void raise_open_files(std::uint64_t sessions, std::uint64_t connections) {
  constexpr std::uint64_t kPerSandbox = 9;  // of the launcher; the server has one for each
  constexpr std::uint64_t kOthers = 512;
  const rlim_t wanted = std::max(sessions * kPerSandbox, sessions + connections) + kOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  rlimit more{.rlim_cur = wanted, .rlim_max = std::max(limit.rlim_max, wanted)};
  if (::setrlimit(RLIMIT_NOFILE, &more) == 0) return;
  // Only root may go beyond what it was given.
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  log::warn("few_open_files", log::kv("limit", limit.rlim_cur), log::kv("wanted", wanted));
}

}  // namespace atl::server
