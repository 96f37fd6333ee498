// A parsed text: tree-sitter's tree and its nodes, owned and read-only. Parsing is bounded in time
// and the tree in depth, because the text is hostile.
#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace atl::policy {

enum class Grammar { kPython, kJavaScript, kTypeScript, kBash };

class Tree;

class Node {
 public:
  Node() = default;
  Node(TSNode node, const Tree* tree) : node_(node), tree_(tree) {}

  explicit operator bool() const { return tree_ != nullptr && !ts_node_is_null(node_); }
  bool operator==(const Node& other) const { return ts_node_eq(node_, other.node_); }
  std::string_view kind() const { return *this ? ts_node_type(node_) : std::string_view(); }
  bool is(std::string_view kind_name) const { return kind() == kind_name; }
  std::string_view text() const;
  Node field(std::string_view name) const;
  Node parent() const;
  std::vector<Node> children() const;  // the named ones
  std::vector<Node> all_children() const;
  Node child(std::uint32_t index) const { return {ts_node_named_child(node_, index), tree_}; }
  std::uint32_t child_count() const { return ts_node_named_child_count(node_); }
  Node first(std::string_view kind_name) const;  // among the named children
  std::uint32_t begin() const { return ts_node_start_byte(node_); }
  std::uint32_t end() const { return ts_node_end_byte(node_); }
  std::uint32_t line() const { return ts_node_start_point(node_).row + 1; }
  std::uint32_t column() const { return ts_node_start_point(node_).column + 1; }

 private:
  TSNode node_{};
  const Tree* tree_ = nullptr;
};

class Tree {
 public:
  // Null: it took too long, or its nesting is deeper than kMaxDepth.
  static std::unique_ptr<Tree> parse(Grammar grammar, std::string text);

  const std::string& text() const { return text_; }
  Node root() const { return {ts_tree_root_node(tree_.get()), this}; }
  // Every named node, in the order of the text.
  const std::vector<Node>& nodes() const { return nodes_; }

  static constexpr std::uint32_t kMaxDepth = 500;
  static constexpr std::uint64_t kMaxMicroseconds = 2'000'000;

 private:
  struct Delete {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  explicit Tree(std::string text) : text_(std::move(text)) {}
  bool collect();

  std::string text_;
  std::unique_ptr<TSTree, Delete> tree_;
  friend class Node;
  std::vector<Node> nodes_;
  // tree-sitter finds a parent by going down from the root: too slow for every node of a long text.
  std::unordered_map<const void*, TSNode> parents_;
};

}  // namespace atl::policy
