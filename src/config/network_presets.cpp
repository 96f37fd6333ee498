#include "config/network_presets.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/field_error.hpp"
#include "codec/json.hpp"
#include "egress/policy.hpp"
#include "model/ports.hpp"

namespace atl::config {
namespace {

// 443 and "443" are the same port.
void write_ports_as_text(boost::json::value& value) {
  if (auto* items = value.if_array()) {
    for (boost::json::value& item : *items) write_ports_as_text(item);
  }
  auto* members = value.if_object();
  if (members == nullptr) return;
  for (auto& member : *members) {
    auto* ports = member.key() == "ports" ? member.value().if_array() : nullptr;
    if (ports == nullptr) {
      write_ports_as_text(member.value());
      continue;
    }
    for (boost::json::value& port : *ports) {
      if (const std::int64_t* number = port.if_int64()) {
        std::string text = std::to_string(*number);
        port = boost::json::string(text.data(), text.size());
      }
    }
  }
}

// The element at this pointer, or the nearest above it: its line is where people look.
const Element& element_at(const Element& root, std::string_view pointer) {
  const Element* here = &root;
  while (!pointer.empty()) {
    std::string_view step = pointer.substr(1, pointer.find('/', 1) - 1);
    pointer.remove_prefix(step.size() + 1);
    const Element* next = nullptr;
    for (const Member& member : here->members) {
      if (pointer_to("", member.key) == "/" + std::string(step)) next = &member.value;
    }
    std::size_t index = 0;
    auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error == std::errc() && index < here->items.size()) next = &here->items[index];
    if (next == nullptr) return *here;
    here = next;
  }
  return *here;
}

// What the types cannot say. Gives the pointer of what is wrong below the preset, and why.
std::optional<std::pair<std::string, std::string>> fault_of(const PresetConfig& preset) {
  for (std::size_t i = 0; i < preset.rules.size(); ++i) {
    for (std::size_t k = 0; k < preset.rules[i].ports.size(); ++k) {
      if (model::parse_ports(preset.rules[i].ports[k])) continue;
      return std::pair("/rules/" + std::to_string(i) + "/ports/" + std::to_string(k),
                       "must be a port, such as 443, or a range, such as \"8000-8999\"");
    }
  }
  Result<egress::Policy> compiled = egress::compile(policy_of(preset));
  if (compiled) return std::nullopt;
  return std::pair(std::string(field_of(compiled.error())), compiled.error().message());
}

}  // namespace

model::NetworkPolicy policy_of(const PresetConfig& preset) {
  model::NetworkPolicy policy;
  for (const PresetRuleConfig& rule : preset.rules) {
    model::NetworkRule& one = policy.rules.emplace_back();
    one.action = rule.action;
    one.target = rule.target;
    for (const std::string& text : rule.ports) {
      if (auto range = model::parse_ports(text)) one.ports.push_back(*range);
    }
  }
  policy.allow_private = preset.allow_private;
  policy.no_intercept = preset.no_intercept;
  return policy;
}

std::optional<boost::json::value> accept_presets(const Rule& rule, const Element& element,
                                                 const Complain& complain) {
  if (element.members.size() > rule.items) {
    complain(element, "", "must not have more than " + std::to_string(rule.items) + " entries");
    return std::nullopt;
  }
  boost::json::value value = to_value(element);
  write_ports_as_text(value);
  auto presets = codec::decode_value<PresetConfigs>(value, {.keep_defaults = true});
  if (!presets) {
    const std::string& pointer = presets.error().pointer;
    complain(element_at(element, pointer), pointer, presets.error().detail);
    return std::nullopt;
  }
  bool good = true;
  for (const auto& [name, preset] : *presets) {
    std::string below = pointer_to("", name);
    std::string_view wrong_name = name.size() > rule.most ? "is too long" : check_name(name);
    auto fault = wrong_name.empty()
                     ? fault_of(preset)
                     : std::optional(std::pair(std::string(), std::string(wrong_name)));
    if (!fault) continue;
    good = false;
    complain(element_at(element, below + fault->first), below + fault->first, fault->second);
  }
  return good ? std::optional(codec::to_json(*presets)) : std::nullopt;
}

}  // namespace atl::config
