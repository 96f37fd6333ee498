// The operator's rules (policy.rules), read again when their file changes. One that cannot be read
// leaves the rules in force that there are, and the log says where it is wrong.
#pragma once

#include <string>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "control/decide.hpp"

namespace atl::server {

class PolicyRules {
 public:
  PolicyRules(std::string path, control::Decider& decider)
      : path_(std::move(path)), decider_(decider) {}

  // Before the server takes requests: its error ends the start. Nothing without a path.
  async::Task<Result<void>> load();
  // For ever.
  async::Task<void> watch();

 private:
  struct Seen {
    bool changed = false;
    Result<control::Decider::RulesPtr> rules = nullptr;
  };
  Seen look();  // on the pool

  std::string path_;
  control::Decider& decider_;
  std::string stamp_;  // of the file as it was read last
  async::Pool pool_{1};
};

}  // namespace atl::server
