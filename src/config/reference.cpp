#include "config/reference.hpp"

#include "codec/json.hpp"
#include "config/config.hpp"
#include "config/listing.hpp"
#include "config/schema.hpp"
#include "config/values.hpp"

namespace atl::config {
namespace {

// By path.
std::map<std::string, std::string> defaults(bool sandbox_block) {
  std::map<std::string, std::string> out;
  for (const Listed& listed : list_values({.config = default_config(sandbox_block)})) {
    out[listed.path] = "`" + codec::serialize(listed.value) + "`";
  }
  return out;
}

std::string limits(const Node& node) {
  const Rule& rule = *node.rule;
  std::string most = std::to_string(rule.most) + " bytes";
  std::string count = "up to " + std::to_string(rule.items);
  switch (node.kind) {
    case Node::Kind::kBoolean: return "true, false";
    case Node::Kind::kInteger:
      return std::to_string(rule.least) + " to " + std::to_string(rule.most) +
             (rule.unit.empty() ? "" : " " + std::string(rule.unit));
    case Node::Kind::kTexts: return count + " strings of up to " + most;
    case Node::Kind::kTextMap: return count + " pairs of strings of up to " + most;
    case Node::Kind::kPresets:
      return count + " presets, each {`rules`, `allow_private`, `no_intercept`}";
    default: break;
  }
  if (node.choices.empty()) return "up to " + most;
  std::string out;
  for (const std::string& choice : node.choices) {
    out += (out.empty() ? "`" : ", `") + choice + "`";
  }
  return out;
}

class Writer {
 public:
  // A heading for every block of the first level; `data` alone stands before them.
  std::string run() {
    for (const Node& node : schema().children) {
      if (!node.is_leaf()) out_ += "\n### " + node.name + "\n";
      if (!node.is_leaf() || !in_table_) {
        out_ += "\n| field | default | may hold | meaning |\n|---|---|---|---|\n";
        in_table_ = true;
      }
      for_each_leaf(node, [this](const Node& leaf) { row(leaf); });
    }
    return out_.substr(1);
  }

 private:
  void row(const Node& leaf) {
    std::string value = plain_.at(leaf.path);
    if (value != blocked_.at(leaf.path)) {
      value += "; in a file with a `sandbox` block " + blocked_.at(leaf.path);
    }
    out_ += "| `" + leaf.path + "` | " + value + " | " + limits(leaf) + " | " +
            std::string(leaf.rule->says) + (leaf.rule->later ? " *Not in use yet.*" : "") + " |\n";
  }

  std::map<std::string, std::string> plain_ = defaults(false);
  std::map<std::string, std::string> blocked_ = defaults(true);
  std::string out_;
  bool in_table_ = false;
};

}  // namespace

std::string reference_markdown() { return Writer().run(); }

}  // namespace atl::config
