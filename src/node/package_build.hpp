// One installation of packages in a sandbox of its own, whose network leads to the index and
// nowhere else, and its result as a folder of the host (docs/adr/0065-packages-in-a-sandbox.md). On
// the I/O thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "node/index_address.hpp"
#include "node/installers.hpp"
#include "node/networks.hpp"
#include "node/quotas.hpp"
#include "sandbox/spec.hpp"

namespace atl::node {

// Room for what an installer fetches and for what it makes of it.
inline constexpr sandbox::Limits kBuildLimits{
    .memory_bytes = 2048ull << 20, .cpus = 2, .pids = 256, .disk_bytes = 8192ull << 20};

// Makes sandboxes for builds, and ends them.
class BuildRooms {
 public:
  using Make = std::function<async::Task<Result<SandboxPtr>>(std::string backend)>;

  // Both outlive this; `networks` null: none can be opened.
  BuildRooms(Make make, Networks* networks) : make_(std::move(make)), networks_(networks) {}

  // kPolicyUnsupported where no network can be opened. One that is not closed is closed by
  // close_all().
  async::Task<Result<SandboxPtr>> open(std::string backend, IndexAddress index,
                                       std::vector<std::string> addresses);
  async::Task<void> close(SandboxPtr sandbox);
  async::Task<void> close_all();

 private:
  Make make_;
  Networks* networks_;
  std::map<std::string, SandboxPtr> open_;
};

struct PackageOrder {
  const Installer* installer = nullptr;
  std::vector<std::string> packages;
  std::string staging;  // a folder of the host that does not exist yet
  // Of what the build has written so far, again and again: an error ends it.
  std::function<async::Task<Result<void>>(std::uint64_t bytes)> check;
};

// Fills the staging folder. kInvalidValue with the installer's last words when it fails.
async::Task<Result<void>> build_packages(async::Executor executor, SandboxPtr sandbox,
                                         IndexAddress index, PackageOrder order, async::Pool* pool);

}  // namespace atl::node
