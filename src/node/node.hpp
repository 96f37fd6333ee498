// Where sandboxes live. This machine is one node, in this process; another machine is the same
// interface over HTTP, later (docs/adr/0034-owner-of-a-session.md). So nothing here is an object of
// this process: sandboxes are named by id, templates and configurations are data, nothing is called
// back. A node has a pool of its own. What is no Task is answered from the node's last report.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "config/sandbox_config.hpp"
#include "egress/inside.hpp"
#include "model/default_backend.hpp"
#include "model/template.hpp"
#include "node/networks.hpp"
#include "node/pool.hpp"
#include "node/quotas.hpp"
#include "node/sandbox_policy.hpp"
#include "sandbox/registry.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

struct NodeResources {
  double cpu_total = 0;  // cores
  double cpu_used = 0;
  std::uint64_t memory_total = 0;  // bytes
  std::uint64_t memory_used = 0;
};

class Node {
 public:
  virtual ~Node() = default;
  virtual const std::string& id() const = 0;  // a session's runtime_node
  virtual std::string backend_of(const model::Template& origin) const = 0;
  virtual std::vector<std::string> backends() const = 0;  // those that were opened
  // What nobody there can make: kUnsupportedBackend, kPolicyUnsupported. Before anything is done.
  virtual Result<void> check(const model::Template& origin,
                             const model::SessionConfig& config) const = 0;
  // Whether sandboxes of this backend outlive the server that made them.
  virtual bool can_find_again(const std::string& backend) const = 0;
  // Whether Networks gives sandboxes of this backend theirs; others have it from the beginning.
  virtual bool opens_networks(const std::string& backend) const = 0;
  virtual NodeResources resources() const = 0;
  virtual std::map<std::string, PoolFigures> pool_figures() const = 0;  // by template

  // What outlived the last server is looked for there, before anything is made.
  virtual async::Task<Result<void>> open_default() = 0;
  // From now on sandboxes of these templates are made before anybody asks, as many as they say, and
  // none of others.
  virtual void keep_ready(std::vector<TemplatePtr> templates) = 0;

  // The sandboxes that these hand out are handles. Of another machine it is a GuestSandbox whose
  // byte stream is tunnelled.

  // One that waited in the pool and now has the limits of the configuration; null when none fits.
  virtual async::Task<SandboxPtr> claim(TemplatePtr origin, model::SessionConfig config) = 0;
  // Made and started, with this id; or one of the pool that gets ready earlier. The id is the
  // caller's, so that what a crash left can be found.
  virtual async::Task<Result<SandboxPtr>> make(SandboxId id, TemplatePtr origin,
                                               model::SessionConfig config) = 0;
  // One that a server before this one made, of this template.
  virtual async::Task<Result<SandboxPtr>> find_again(std::string backend, SandboxId id,
                                                     TemplatePtr origin,
                                                     model::SessionConfig config) = 0;
  virtual async::Task<Result<void>> destroy(std::string backend, SandboxId id) = 0;
  // Sandboxes there that were not made since the node was opened. Until forget_made(), which frees
  // what the node remembers for this.
  virtual async::Task<Result<std::vector<SandboxId>>> list_left(std::string backend) = 0;
  virtual void forget_made() = 0;

  // Until one of the opened backends can make no more sandboxes in this process; is_lost() from
  // then on.
  virtual async::Task<void> until_lost() = 0;
  virtual bool is_lost() const = 0;

  // What waits for another program (an image import) is given up: kCancelled. Comes before
  // shut_down(), which ends the sandboxes of the pool.
  virtual void stop_waiting() = 0;
  virtual async::Task<void> shut_down() = 0;
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
  PoolSettings pool;
  config::BootstrapConfig bootstrap;
  std::string bootstrap_folder;                   // DATA/bootstrap
  std::string home;                               // what ~/ stands for there
  std::string packages_folder;                    // DATA/packages
  std::string package_index;                      // URL; empty: none
  Amount package_quota = QuotaLimits().packages;  // of each tenant
  Networks* networks = nullptr;                   // that builds of packages use; outlives the node
  SpaceFloor floor;
  std::optional<egress::TrustFiles> trust;     // shown to sandboxes whose TLS is opened on the way
  sandbox::BackendOptions backend;             // of all backends: its folders
  std::map<std::string, OwnOptions> backends;  // of one each, by name; moved from when it is opened
};

std::unique_ptr<Node> make_local_node(const sandbox::Registry& registry, LocalNodeOptions options);

}  // namespace atl::node
