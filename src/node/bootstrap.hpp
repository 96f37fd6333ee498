// What a new workspace starts with: copies what config/bootstrap.hpp lists into a sandbox that has
// just been made. Files of the host are read on a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "config/bootstrap.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

class Bootstrap {
 public:
  // `folder` is DATA/bootstrap; `home` is what ~/ in initDir stands for.
  Bootstrap(config::BootstrapConfig config, std::string folder, std::string home);

  async::Task<Result<void>> fill(std::shared_ptr<sandbox::Sandbox> sandbox);

 private:
  bool nothing_there() const;

  config::BootstrapConfig config_;
  std::string folder_;
  std::string home_;
  std::vector<std::string> skipped_;  // as it was last told
  async::Pool pool_{1};
};

}  // namespace atl::node
