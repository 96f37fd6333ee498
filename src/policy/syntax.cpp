#include "policy/syntax.hpp"

#include <utility>

extern "C" {
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_bash();
}

namespace atl::policy {
namespace {

const TSLanguage* language_of(Grammar grammar) {
  switch (grammar) {
    case Grammar::kPython: return tree_sitter_python();
    case Grammar::kJavaScript: return tree_sitter_javascript();
    case Grammar::kTypeScript: return tree_sitter_typescript();
    case Grammar::kBash: return tree_sitter_bash();
  }
  return nullptr;
}

}  // namespace

std::string_view Node::text() const {
  if (!*this) return {};
  return std::string_view(tree_->text()).substr(begin(), end() - begin());
}

Node Node::parent() const {
  if (!*this) return {};
  auto found = tree_->parents_.find(node_.id);
  return found == tree_->parents_.end() ? Node() : Node(found->second, tree_);
}

Node Node::field(std::string_view name) const {
  if (!*this) return {};
  auto length = static_cast<std::uint32_t>(name.size());
  return {ts_node_child_by_field_name(node_, name.data(), length), tree_};
}

std::vector<Node> Node::children() const {
  std::vector<Node> found;
  if (!*this) return found;
  for (Node& node : all_children()) {
    if (ts_node_is_named(node.node_)) found.push_back(node);
  }
  return found;
}

// With a cursor: asking for the child of an index takes as many steps as the index.
std::vector<Node> Node::all_children() const {
  std::vector<Node> found;
  if (!*this) return found;
  TSTreeCursor cursor = ts_tree_cursor_new(node_);
  bool more = ts_tree_cursor_goto_first_child(&cursor);
  while (more) {
    found.push_back({ts_tree_cursor_current_node(&cursor), tree_});
    more = ts_tree_cursor_goto_next_sibling(&cursor);
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

Node Node::first(std::string_view kind_name) const {
  for (const Node& node : children()) {
    if (node.is(kind_name)) return node;
  }
  return {};
}

std::unique_ptr<Tree> Tree::parse(Grammar grammar, std::string text) {
  std::unique_ptr<Tree> tree(new Tree(std::move(text)));
  std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
  if (!ts_parser_set_language(parser.get(), language_of(grammar))) return nullptr;
  ts_parser_set_timeout_micros(parser.get(), kMaxMicroseconds);
  tree->tree_.reset(ts_parser_parse_string(parser.get(), nullptr, tree->text_.data(),
                                           static_cast<std::uint32_t>(tree->text_.size())));
  if (!tree->tree_ || !tree->collect()) return nullptr;
  return tree;
}

bool Tree::collect() {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree_.get()));
  std::vector<TSNode> above;
  bool done = false;
  while (!done && above.size() <= kMaxDepth) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if (ts_node_is_named(node)) nodes_.emplace_back(node, this);
    if (!above.empty()) parents_.emplace(node.id, above.back());
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      above.push_back(node);
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        done = true;
        break;
      }
      above.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
  return done;
}

}  // namespace atl::policy
