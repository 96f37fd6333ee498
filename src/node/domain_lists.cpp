#include "node/domain_lists.hpp"

#include <algorithm>
#include <string>

namespace atl::node {
namespace {

using model::NetworkAction, model::NetworkPolicy, model::NetworkRule;

std::unexpected<Error> cannot(const std::string& why) {
  return fail(Code::kPolicyUnsupported, why + "; native and docker can");
}

bool is_network(const std::string& target) {
  bool digits = target.find_first_not_of("0123456789.") == target.npos;
  return digits || target.find_first_of("/:") != target.npos;
}

// Every entry that a rule makes: its name, or the name with each port.
Result<void> add_entries(const NetworkRule& rule, const sandbox::ListForms& forms,
                         std::vector<std::string>& list) {
  if (is_network(rule.target)) return cannot("lists of domains cannot name networks");
  if (rule.ports.empty()) list.push_back(rule.target);
  for (const model::PortRange& range : rule.ports) {
    if (!forms.ports) return cannot("lists of domains cannot name ports");
    if (range.first != range.last) return cannot("lists of domains cannot name ranges of ports");
    list.push_back(rule.target + ":" + std::to_string(range.first));
  }
  return {};
}

}  // namespace

Result<sandbox::NetworkPolicy> lists_of(const NetworkPolicy& policy,
                                        const sandbox::ListForms& forms) {
  if (!policy.headers.empty() || !policy.secrets.empty()) {
    return cannot("it has no headers and no secrets on the way");
  }
  if (!policy.allow_private.empty()) return cannot("it cannot tell private networks from others");
  sandbox::NetworkPolicy lists{.allow_others = policy.default_ == NetworkAction::kAllow};
  if (*lists.allow_others && !forms.allow_others) {
    return cannot("it reaches the domains of a list only");
  }
  bool allowed = false;
  for (const NetworkRule& rule : policy.rules) {
    bool allow = rule.action == NetworkAction::kAllow;
    bool is_all = rule.target == "*";
    if (is_all && rule.ports.empty()) {  // decides for all that no rule before it names
      if (allow && !forms.allow_others) return cannot("it reaches the domains of a list only");
      lists.allow_others = allow;
      break;
    }
    if (is_all) return cannot("lists of domains cannot name all domains");
    // A denied name wins, wherever it stands.
    if (!allow && allowed) return cannot("lists of domains know no order");
    allowed |= allow;
    ATOLL_CHECK(add_entries(rule, forms, allow ? lists.allowed_domains : lists.denied_domains));
  }
  return lists;
}

}  // namespace atl::node
