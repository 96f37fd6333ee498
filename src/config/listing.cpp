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

boost::json::value as_document(std::span<const Listed> values) {
  boost::json::value root = boost::json::object();
  for (const Listed& listed : values) {
    boost::json::value* here = &root;
    for (std::string_view rest = listed.path; !rest.empty();) {
      std::string_view step = rest.substr(0, rest.find('.'));
      rest.remove_prefix(std::min(rest.size(), step.size() + 1));
      if (!here->is_object()) *here = boost::json::object();
      here = &here->get_object()[boost::json::string_view(step.data(), step.size())];
    }
    *here = listed.value;
  }
  return root;
}

}  // namespace atl::config
