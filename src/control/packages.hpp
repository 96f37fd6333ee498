// Python packages of templates: installed once for each list into DATA/packages, and seen read-only
// by every sandbox that has that list. Only wheels are taken, so that nothing of a package runs
// outside of a sandbox (docs/adr/0016-packages.md).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"

namespace atl::control {

inline constexpr const char* kPackagesPlace = "/opt/packages";  // inside

// A name with its version, as in "numpy" or "requests[socks]>=2,<3": no paths, links or options.
bool is_package(std::string_view text);

class Packages {
 public:
  Packages(std::string folder, std::string index_url);

  // The folder that holds them; installs them first where they are missing. kNoPackageIndex.
  async::Task<Result<std::string>> folder_of(std::vector<std::string> packages);

 private:
  struct Attempt {
    bool done = false;
    Result<void> outcome;
    async::Event changed;
  };

  async::Task<Result<void>> install(std::string name, std::vector<std::string> packages);

  std::string folder_;
  std::string index_url_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by name: under way
  async::Pool pool_{1};
};

}  // namespace atl::control
