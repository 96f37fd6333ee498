// The workspaces of sessions with a key, as folders of the host: DATA/workspaces/KEY. A folder is a
// copy. It fills the workspace of a new session, and follows it: the files go through the guest
// both ways, so the limit of the sandbox's disk stays what it is, and so do its walls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "control/host_tree.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

class Workspaces {
 public:
  explicit Workspaces(std::string folder);  // empty: none are kept

  bool kept() const { return !folder_.empty(); }
  // What the folder is called, for every key another one but for `:` and `_`. Keys of the tenant
  // `default` lie in the folder of workspaces itself, others in one of their tenant's.
  static std::string name_of(const std::string& tenant, const std::string& key);

  // Makes it; true when there are files in it.
  Result<bool> prepare(const std::string& name) const;
  async::Task<Result<void>> fill(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name);
  // Copies what has changed, and removes what is gone. `most` is the sum of sizes that it may have;
  // `for_good`: it shall survive a power failure.
  async::Task<Result<void>> save(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name,
                                 std::uint64_t most, bool for_good);

 private:
  Result<HostTree> open(const std::string& name) const;
  async::Task<Result<void>> send_file(HostTree* tree, std::string path, std::uint64_t size,
                                      sandbox::ByteStream* pack);
  async::Task<Result<void>> fetch_file(sandbox::Sandbox* sandbox, HostTree* tree, std::string path,
                                       const TreeEntry* entry);

  std::string folder_;
  async::Pool pool_{2};
};

}  // namespace atl::control
