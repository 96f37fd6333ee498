// The `network` block's presets: rules that have a name, so that policies of sessions and templates
// can refer to them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "config/values.hpp"
#include "model/network.hpp"

namespace atl::config {

struct PresetRuleConfig {
  model::NetworkAction action = model::NetworkAction::kAllow;
  std::string target;
  std::vector<std::string> ports;  // 443, 8000-8999; none: all
};
BOOST_DESCRIBE_STRUCT(PresetRuleConfig, (), (action, target, ports))

struct PresetConfig {
  std::vector<PresetRuleConfig> rules;
  std::vector<std::string> allow_private;
  std::vector<std::string> no_intercept;
};
BOOST_DESCRIBE_STRUCT(PresetConfig, (), (rules, allow_private, no_intercept))

using PresetConfigs = std::map<std::string, PresetConfig>;

// The rules and lists; nothing else of a policy is in a preset.
model::NetworkPolicy policy_of(const PresetConfig& preset);

// As accept() in values.hpp, for a leaf that holds presets.
std::optional<boost::json::value> accept_presets(const Rule& rule, const Element& element,
                                                 const Complain& complain);

}  // namespace atl::config
