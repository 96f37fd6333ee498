// Packages of templates: installed once for each list into DATA/packages, and seen read-only by
// every sandbox that has that list. Those of a tenant's own templates lie in DATA/packages/@TENANT,
// and count for its quota.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "node/installers.hpp"
#include "node/package_build.hpp"
#include "node/quotas.hpp"

namespace atl::node {

struct PackageSettings {
  std::string folder;     // DATA/packages
  std::string index_url;  // empty: none
  Amount most;            // of each tenant
  SpaceFloor floor;
};

class Packages {
 public:
  // `rooms` outlives this.
  Packages(async::Executor executor, PackageSettings settings, BuildRooms& rooms);

  struct Wanted {
    const Installer* installer = nullptr;
    std::vector<std::string> packages;
    std::string tenant;   // empty: for the server's templates
    std::string backend;  // whose sandboxes they are installed in
  };
  // The folder that holds them; installs them first where they are missing, which goes on when
  // whoever asked does not wait. kNoPackageIndex, kQuotaExceeded, kStorageFull.
  async::Task<Result<std::string>> folder_of(Wanted wanted);
  // Ends installations.
  async::Task<void> shut_down();

 private:
  struct Attempt {
    bool done = false;
    Result<void> outcome;
    async::Event changed;
  };

  async::Task<void> attempt(std::shared_ptr<Attempt> attempt, std::string path, Wanted wanted);
  async::Task<Result<void>> count(std::string tenant, std::string home);
  async::Task<Result<void>> install_for(std::string path, Wanted wanted);
  async::Task<Result<void>> install(std::string path, Wanted wanted, Ledger::Reservation* place);
  async::Task<Result<void>> build(std::string staging, Wanted wanted, Ledger::Reservation* place);
  async::Task<Result<void>> check(std::string staging, Ledger::Reservation* place,
                                  std::uint64_t bytes);

  async::Executor executor_;
  PackageSettings settings_;
  BuildRooms& rooms_;
  Ledger ledger_;
  std::set<std::string> counted_;                             // tenants
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by path: under way
  async::Pool pool_{1};
  async::TaskGroup tasks_;
};

}  // namespace atl::node
