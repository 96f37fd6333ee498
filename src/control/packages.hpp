// Packages of templates: installed once for each list into DATA/packages, and seen read-only by
// every sandbox that has that list.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/installers.hpp"

namespace atl::control {

class Packages {
 public:
  Packages(std::string folder, std::string index_url);

  // The folder that holds them; installs them first where they are missing. kNoPackageIndex.
  async::Task<Result<std::string>> folder_of(const Installer* installer,
                                             std::vector<std::string> packages);

 private:
  struct Attempt {
    bool done = false;
    Result<void> outcome;
    async::Event changed;
  };

  async::Task<Result<void>> install(const Installer* installer, std::string name,
                                    std::vector<std::string> packages);

  std::string folder_;
  std::string index_url_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by name: under way
  async::Pool pool_{1};
};

}  // namespace atl::control
