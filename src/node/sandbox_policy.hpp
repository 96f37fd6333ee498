// What sandboxes of this machine get from the configuration and from their
// template, and whether a backend can give it. On the I/O thread.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/template.hpp"
#include "sandbox/fs_policy.hpp"
#include "sandbox/registry.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

// What the configuration says of every sandbox.
struct NodePolicy {
  sandbox::NetworkPolicy network;
  sandbox::FilesystemPatterns filesystem;
};

sandbox::Limits limits_of(const model::Template& origin, const model::SessionConfig& config);
std::optional<sandbox::Preload> preload_of(const model::Template& origin);

class SandboxPolicy {
 public:
  // `home` is what ~/ stands for.
  SandboxPolicy(NodePolicy policy, std::string home)
      : policy_(std::move(policy)), home_(std::move(home)) {}

  // kPolicyUnsupported: what this backend cannot do.
  Result<void> check(const sandbox::BackendEntry& entry, const model::Template& origin,
                     const model::SessionConfig& config) const;
  // Whether the patterns are any, where no file system of this machine is
  // looked at.
  Result<void> check_patterns() const;
  const sandbox::FilesystemPatterns& patterns() const { return policy_.filesystem; }
  // Whether the server or the template has lists of domains.
  bool has_lists(const model::Template& origin) const;
  // Of the server and of the template, where the session has no policy of its own.
  Result<sandbox::NetworkPolicy> lists_for(const sandbox::BackendEntry& entry,
                                           const model::Template& origin,
                                           const model::SessionConfig& config) const;
  // The patterns as paths of the file system that such sandboxes see. Reads
  // folders of the host, the first time.
  Result<sandbox::FilesystemPolicy> filesystem_for(const sandbox::BackendEntry& entry);

 private:
  sandbox::NetworkPolicy network_of(const model::Template& origin) const;

  NodePolicy policy_;
  std::string home_;
  std::array<std::optional<sandbox::FilesystemPolicy>, 2> expanded_;  // by whole_host
};

}  // namespace atl::node
