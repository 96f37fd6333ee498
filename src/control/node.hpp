// Where sandboxes live. This machine is one node, in this process; another machine is the same
// interface over HTTP, later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "model/template.hpp"
#include "sandbox/registry.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

using SandboxPtr = std::shared_ptr<sandbox::Sandbox>;
using RecipePtr = std::shared_ptr<const model::Template>;

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
  virtual std::string backend_of(const model::Template& recipe) const = 0;
  // What outlived the last server is looked for there, before anything is made.
  virtual async::Task<Result<void>> open_default() = 0;
  // Made and started. The id is the caller's, so that what a crash left can be found.
  virtual async::Task<Result<SandboxPtr>> make(SandboxId id, RecipePtr recipe,
                                               model::SessionConfig config) = 0;
  virtual async::Task<Result<SandboxPtr>> find_again(std::string backend, SandboxId id) = 0;
  virtual async::Task<Result<std::vector<SandboxId>>> list(std::string backend) = 0;
  virtual async::Task<Result<void>> destroy(std::string backend, SandboxId id) = 0;
  virtual std::vector<std::string> backends() const = 0;  // those that were opened
  // Has whatever can be prepared ready: zygotes.
  virtual async::Task<Result<void>> prepare(RecipePtr recipe) = 0;
  virtual NodeResources resources() const = 0;
};

struct LocalNodeOptions {
  async::Executor executor;
  std::string id = "local";
  std::string default_backend = "native";
  sandbox::BackendOptions backend;  // for each backend that is opened; moved from by the first
};

std::unique_ptr<Node> make_local_node(const sandbox::Registry& registry, LocalNodeOptions options);

}  // namespace atl::control
