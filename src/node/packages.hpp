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
#include "base/result.hpp"
#include "node/installers.hpp"
#include "node/quotas.hpp"

namespace atl::node {

class Packages {
 public:
  Packages(std::string folder, std::string index_url, Amount most, SpaceFloor floor);

  // The folder that holds them; installs them first where they are missing. `tenant` empty: for the
  // server's templates. kNoPackageIndex, kQuotaExceeded, kStorageFull.
  async::Task<Result<std::string>> folder_of(const Installer* installer,
                                             std::vector<std::string> packages, std::string tenant);

 private:
  struct Attempt {
    bool done = false;
    Result<void> outcome;
    async::Event changed;
  };

  async::Task<Result<void>> count(std::string tenant, std::string home);
  // Until it has ended by itself. An error: it must not go on.
  async::Task<Result<ChildExit>> watch(Child* installer, std::string staging,
                                       Ledger::Reservation* place);
  async::Task<Result<void>> install(const Installer* installer, std::string path,
                                    std::vector<std::string> packages, Ledger::Reservation* place);
  async::Task<Result<void>> install_for(const Installer* installer, std::string path,
                                        std::vector<std::string> packages, std::string tenant);

  std::string folder_;
  std::string index_url_;
  SpaceFloor floor_;
  Ledger ledger_;
  std::set<std::string> counted_;                             // tenants
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by path: under way
  async::Pool pool_{1};
};

}  // namespace atl::node
