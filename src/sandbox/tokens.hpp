// The secrets that say to a guest who is calling. With a folder they survive this process, one
// private file a sandbox; without one they live in memory, for sandboxes that end with their maker.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "guest/protocol.hpp"

namespace atl::sandbox {

class Tokens {
 public:
  explicit Tokens(std::string folder = {}) : folder_(std::move(folder)) {}

  // Fresh and, with a folder, on disk before this returns.
  Result<guest::Token> make(const SandboxId& id) const;
  Result<guest::Token> find(const SandboxId& id) const;
  void forget(const SandboxId& id) const;
  std::vector<SandboxId> all() const;

 private:
  std::string path(const SandboxId& id) const { return folder_ + "/" + id.str() + kExtension; }

  static constexpr const char* kExtension = ".token";
  std::string folder_;
};

}  // namespace atl::sandbox
