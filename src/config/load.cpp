#include "config/load.hpp"

#include <algorithm>

#include "codec/json.hpp"
#include "config/layer.hpp"

namespace atl::config {
namespace {

bool has_sandbox_block(const Element& root) {
  return std::ranges::any_of(root.members, [](const Member& m) { return m.key == "sandbox"; });
}

Layer override_layer(const Override& override) {
  Layer layer;
  Origin origin{.kind = Origin::Kind::kFlag, .name = override.flag};
  Found found = find_path(override.path, ".");
  if (found.node == nullptr) {
    complain_about(found, origin, layer);
  } else {
    layer.add_text(*found.node, override.value, origin);
  }
  return layer;
}

// Puts a value at a path whose parents are all there.
void put(boost::json::value& root, std::string_view path, const boost::json::value& value) {
  boost::json::value* here = &root;
  for (;;) {
    std::size_t dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    boost::json::value& next =
        here->as_object()[boost::json::string_view(step.data(), step.size())];
    if (dot == std::string_view::npos) {
      next = value;
      return;
    }
    here = &next;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

Config default_config(bool sandbox_block) {
  Config config;
  if (sandbox_block) {
    config.sandbox.enabled = false;
    config.sandbox.backend = "srt";
    config.sandbox.mode = SandboxMode::kDisabled;
  }
  return config;
}

Origin Loaded::origin_of(const std::string& path) const {
  auto found = origins.find(path);
  return found == origins.end() ? Origin() : found->second;
}

std::expected<Loaded, Problems> load(const Sources& sources) {
  Loaded loaded;
  Problems problems;
  std::vector<Layer> layers;
  if (sources.file) {
    loaded.file = sources.file->name;
    Origin source{.kind = Origin::Kind::kFile, .name = sources.file->name};
    std::expected<Element, Problem> root = read_document(sources.file->text, source);
    if (root) {
      loaded.sandbox_block = has_sandbox_block(*root);
      layers.emplace_back().add(schema(), *root, source, "");
    } else {
      problems.push_back(std::move(root).error());
    }
  }
  std::ranges::move(environment_layers(sources.environment), std::back_inserter(layers));
  for (const Override& override : sources.overrides) layers.push_back(override_layer(override));

  boost::json::value merged = codec::to_json(default_config(loaded.sandbox_block));
  for (const Layer& layer : layers) {
    problems.insert(problems.end(), layer.problems().begin(), layer.problems().end());
    for (const auto& [path, setting] : layer.settings()) {
      put(merged, path, setting.value);
      loaded.origins[path] = setting.origin;
    }
  }
  codec::Decoded<Config> config = codec::decode_value<Config>(merged);
  if (!config) {  // the rules let something through that the struct cannot hold
    problems.push_back({.pointer = config.error().pointer, .detail = config.error().detail});
    return std::unexpected(std::move(problems));
  }
  loaded.config = std::move(*config);
  check_together(loaded, problems);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return loaded;
}

}  // namespace atl::config
