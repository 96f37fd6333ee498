#include "egress/rules.hpp"

#include <algorithm>

namespace atl::egress {

namespace {

bool holds(const std::vector<PortRange>& ports, std::uint16_t port) {
  return ports.empty() || std::ranges::any_of(ports, [port](const PortRange& range) {
           return range.first <= port && port <= range.last;
         });
}

}  // namespace

std::size_t Rules::AddressHash::operator()(const Address& address) const {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(address.bytes.data()), address.bytes.size()});
}

Rules::Rules(const std::vector<Rule>& rules, Action otherwise) : otherwise_(otherwise) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    Entry entry{i, rule.action, rule.ports};
    if (const Network* network = std::get_if<Network>(&rule.target)) {
      auto same = [&](const auto& one) { return one.first == network->prefix; };
      auto found = std::ranges::find_if(networks_, same);
      if (found == networks_.end()) {
        found = networks_.insert(found, {network->prefix, ByAddress()});
      }
      found->second[network->base].push_back(std::move(entry));
      continue;
    }
    const std::string& pattern = std::get<std::string>(rule.target);
    if (pattern == "*") {
      any_.push_back(std::move(entry));
    } else if (pattern.starts_with("*.")) {
      suffixes_[pattern.substr(2)].push_back(std::move(entry));
    } else {
      names_[pattern].push_back(std::move(entry));
    }
  }
}

// All lists whose patterns match the name.
template <typename Visit>
void Rules::for_each_list(std::string_view name, Visit visit) const {
  if (auto found = names_.find(name); found != names_.end()) visit(found->second);
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    auto found = suffixes_.find(name.substr(dot + 1));
    if (found != suffixes_.end()) visit(found->second);
  }
  visit(any_);
}

void Rules::decide(const Entries& entries, std::uint16_t port, Verdict& verdict) {
  for (const Entry& entry : entries) {
    if (entry.rule >= verdict.rule) return;
    if (!holds(entry.ports, port)) continue;
    verdict = {.action = entry.action, .rule = entry.rule};
    return;
  }
}

Verdict Rules::judge(std::string_view name, std::uint16_t port) const {
  Verdict verdict{.action = otherwise_};
  for_each_list(name, [&](const Entries& entries) { decide(entries, port, verdict); });
  return verdict;
}

Verdict Rules::judge(const Address& address, std::uint16_t port) const {
  Verdict verdict{.action = otherwise_};
  for (const auto& [prefix, by_address] : networks_) {
    auto found = by_address.find(masked(address, prefix));
    if (found != by_address.end()) decide(found->second, port, verdict);
  }
  decide(any_, port, verdict);
  return verdict;
}

bool Rules::may_resolve(std::string_view name) const {
  bool allowed = false;
  std::size_t denied = Verdict::kDefault;  // the first rule that denies all ports
  for_each_list(name, [&](const Entries& entries) {
    for (const Entry& entry : entries) {
      if (entry.action == Action::kDeny && entry.ports.empty()) {
        denied = std::min(denied, entry.rule);
        return;
      }
    }
  });
  for_each_list(name, [&](const Entries& entries) {
    allowed = allowed || std::ranges::any_of(entries, [&](const Entry& entry) {
                return entry.action == Action::kAllow && entry.rule < denied;
              });
  });
  return allowed || (otherwise_ == Action::kAllow && denied == Verdict::kDefault);
}

}  // namespace atl::egress
