// The workspaces of sessions with a key, as folders of the host: DATA/workspaces/TENANT/KEY. A
// folder is a copy. It fills the workspace of a new session, and follows it: the files go through
// the guest both ways, so the limit of the sandbox's disk stays what it is, and so do its walls.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "node/host_tree.hpp"
#include "node/quotas.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

class Workspaces {
 public:
  // `folder` empty: none are kept. `most`: of one tenant.
  Workspaces(std::string folder, Amount most, SpaceFloor floor);

  bool kept() const { return !folder_.empty(); }
  // The folder of a key: TENANT/KEY, another one for every tenant and every key.
  static std::string name_of(const std::string& tenant, const std::string& key);

  // Before anything else: brings folders of an older version to where they belong. `tenants` are
  // all that there ever were. After a failure, which is logged, no workspace can be used.
  async::Task<void> migrate(std::set<std::string> tenants);
  // What the tenant (as in a name) has; from then on it is known.
  async::Task<void> count(std::string tenant);
  // After count(). Makes the folder; true when there are files in it. kQuotaExceeded, kStorageFull.
  Result<bool> prepare(const std::string& name);
  async::Task<Result<void>> fill(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name);
  // Copies what has changed, and removes what is gone. `most` is the sum of sizes that it may have;
  // `for_good`: it shall survive a power failure. Refused as a whole beyond the tenant's quota.
  async::Task<Result<void>> save(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name,
                                 std::uint64_t most, bool for_good);

 private:
  struct Counted {
    // It may be counted again; `own`: of those that save, the caller.
    bool is_old(std::size_t own) const;

    bool done = false;
    bool counting = false;
    std::size_t saving = 0;  // whose places are, or are about to be, reserved
    std::chrono::steady_clock::time_point at{};
    std::map<std::string, Amount> by_key;
  };

  Result<HostTree> open(const std::string& name) const;
  async::Task<Result<Ledger::Reservation>> reserve(std::string name, Amount after);
  async::Task<Result<void>> send_file(HostTree* tree, std::string path, std::uint64_t size,
                                      sandbox::ByteStream* pack);
  async::Task<Result<void>> fetch_file(sandbox::Sandbox* sandbox, HostTree* tree, std::string path,
                                       const TreeEntry* entry);

  std::string folder_;
  SpaceFloor floor_;
  Result<void> usable_;
  Ledger ledger_;
  std::map<std::string, Counted> counted_;  // by tenant
  async::Event changed_;
  async::Pool pool_{2};
};

}  // namespace atl::node
