// The nodes that sessions can be on: chooses one for a new session, and finds that of a session
// that there is by its runtime_node. One node today, many later. On the I/O thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "node/node.hpp"

namespace atl::node {

class Placement {
 public:
  // At least one.
  explicit Placement(std::vector<std::unique_ptr<Node>> nodes) : nodes_(std::move(nodes)) {}

  // For a new session, of the nodes that are not lost and can make it: one that has a sandbox
  // ready, else the one with the most free memory. kNoAvailableRuntime when all are lost; what is
  // wrong with the request where none can make it.
  Result<Node*> choose(const model::Template& origin, const model::SessionConfig& config) const;
  // Null: this server has no such node.
  Node* find(const std::string& runtime_node) const;
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // No sandbox can be made on any of them.
  bool is_lost() const;

  async::Task<Result<void>> open();
  // Does nothing before open().
  void keep_ready(const std::vector<TemplatePtr>& templates);
  std::map<std::string, PoolFigures> pool_figures() const;  // of all nodes together, by template
  // The server is about to end.
  void stop_waiting();
  bool stops() const { return stops_; }
  async::Task<void> shut_down();

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  bool opened_ = false;
  bool stops_ = false;
};

}  // namespace atl::node
