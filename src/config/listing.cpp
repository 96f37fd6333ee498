#include "config/listing.hpp"

#include <algorithm>

#include "codec/json.hpp"
#include "config/schema.hpp"

namespace atl::config {
namespace {

boost::json::string text(std::string_view value) {
  return boost::json::string(value.data(), value.size());
}

boost::json::value shown(const Node& node, const boost::json::value& value) {
  const boost::json::string* string = value.if_string();
  if (string == nullptr || string->empty()) return value;
  std::string_view view(string->data(), string->size());
  if (node.rule->secret == Secret::kWhole) return text("***");
  if (node.rule->secret == Secret::kPassword) return text(without_password(view));
  if (node.kind != Node::Kind::kChoice) return value;
  std::string name(view);
  std::ranges::replace(name, '_', '-');
  return text(name);
}

void walk(const Node& node, boost::json::value& value, const Loaded& loaded,
          std::vector<Listed>& out) {
  if (node.is_leaf()) {
    value = shown(node, value);
    out.push_back(
        {.path = node.path, .value = value, .origin = loaded.origin_of(node.path).to_string()});
    return;
  }
  for (const Node& child : node.children) {
    walk(child,
         value.as_object().at(boost::json::string_view(child.name.data(), child.name.size())),
         loaded, out);
  }
}

}  // namespace

std::vector<Listed> list_values(const Loaded& loaded) {
  std::vector<Listed> out;
  boost::json::value all = codec::to_json(loaded.config);
  walk(schema(), all, loaded, out);
  return out;
}

boost::json::value shown_config(const Loaded& loaded) {
  std::vector<Listed> unused;
  boost::json::value all = codec::to_json(loaded.config);
  walk(schema(), all, loaded, unused);
  return all;
}

}  // namespace atl::config
