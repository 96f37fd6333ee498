// Where sandboxes live. This machine is one node, in this process; another machine is the same
// interface over HTTP, later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "config/sandbox_config.hpp"
#include "model/default_backend.hpp"
#include "model/template.hpp"
#include "node/quotas.hpp"
#include "sandbox/fs_policy.hpp"
#include "sandbox/registry.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

using SandboxPtr = std::shared_ptr<sandbox::Sandbox>;
using model::TemplatePtr;

struct NodeResources {
  double cpu_total = 0;  // cores
  double cpu_used = 0;
  std::uint64_t memory_total = 0;  // bytes
  std::uint64_t memory_used = 0;
};

class Node {
 public:
  virtual ~Node() = default;
  virtual const std::string& id() const = 0;
  virtual std::string backend_of(const model::Template& origin) const = 0;
  // What outlived the last server is looked for there, before anything is made.
  virtual async::Task<Result<void>> open_default() = 0;
  // What nobody here can make: kUnsupportedBackend, kPolicyUnsupported. Before anything is done.
  virtual Result<void> check(const model::Template& origin,
                             const model::SessionConfig& config) const = 0;
  // Made and started. The id is the caller's, so that what a crash left can be found.
  virtual async::Task<Result<SandboxPtr>> make(SandboxId id, TemplatePtr origin,
                                               model::SessionConfig config) = 0;
  // Whether change_limits() can work, and the limits of a sandbox that waited, as a session wants.
  virtual bool can_change_limits(const model::Template& origin) const = 0;
  virtual async::Task<Result<void>> change_limits(SandboxPtr sandbox, TemplatePtr origin,
                                                  model::SessionConfig config) = 0;
  // Whether sandboxes of this backend outlive the server that made them.
  virtual bool can_find_again(const std::string& backend) const = 0;
  virtual async::Task<Result<SandboxPtr>> find_again(std::string backend, SandboxId id) = 0;
  virtual async::Task<Result<std::vector<SandboxId>>> list(std::string backend) = 0;
  virtual async::Task<Result<void>> destroy(std::string backend, SandboxId id) = 0;
  virtual std::vector<std::string> backends() const = 0;  // those that were opened
  // Whether make() was called with this id, until forget_made(): list() of a server that works
  // already has its own sandboxes in it.
  virtual bool has_made(const SandboxId& id) const = 0;
  virtual void forget_made() = 0;
  // Until the default backend can make no more sandboxes in this process; is_lost() from then on.
  virtual async::Task<void> until_lost() = 0;
  virtual bool is_lost() const = 0;
  // Has whatever can be prepared ready: packages, zygotes.
  virtual async::Task<Result<void>> prepare(TemplatePtr origin) = 0;
  virtual NodeResources resources() const = 0;
};

// What the configuration says of every sandbox.
struct NodePolicy {
  sandbox::NetworkPolicy network;
  sandbox::FilesystemPatterns filesystem;
};

// What one backend is told beside what all are told.
struct OwnOptions {
  std::any config;
  sandbox::Prepared prepared;
  bool unprepared = false;  // this process was root before, and did not prepare it
};

struct LocalNodeOptions {
  async::Executor executor;
  std::string id = "local";
  std::string default_backend = model::kDefaultBackend;
  NodePolicy policy;
  config::BootstrapConfig bootstrap;
  std::string bootstrap_folder;                   // DATA/bootstrap
  std::string home;                               // what ~/ stands for there
  std::string packages_folder;                    // DATA/packages
  std::string package_index;                      // URL; empty: none
  Amount package_quota = QuotaLimits().packages;  // of each tenant
  SpaceFloor floor;
  sandbox::BackendOptions backend;             // of all backends: its folders
  std::map<std::string, OwnOptions> backends;  // of one each, by name; moved from when it is opened
};

std::unique_ptr<Node> make_local_node(const sandbox::Registry& registry, LocalNodeOptions options);

}  // namespace atl::node
