// Rules put before the others, or taken away.
#include <algorithm>
#include <iterator>
#include <utility>

#include "control/network_policies.hpp"
#include "control/session_network.hpp"

namespace atl::control {

using async::Task;

namespace {

bool same_rule(const model::NetworkRule& one, const model::NetworkRule& other) {
  auto same_range = [](const model::PortRange& a, const model::PortRange& b) {
    return a.first == b.first && a.last == b.last;
  };
  return one.action == other.action && one.target == other.target &&
         std::ranges::equal(one.ports, other.ports, same_range);
}

// replace() puts the server's own denials in front again.
void drop_front(std::vector<model::NetworkRule>& rules,
                const std::vector<model::NetworkRule>& front) {
  if (front.size() > rules.size()) return;
  if (!std::equal(front.begin(), front.end(), rules.begin(), same_rule)) return;
  rules.erase(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(front.size()));
}

}  // namespace

Task<Result<NetworkView>> SessionNetwork::edit(Caller caller, SessionId id, NetworkEdit edit) {
  ATOLL_CO_TRY(NetworkView view, co_await get(caller, id));
  ATOLL_CO_TRY(model::NetworkPolicy denied, shared_.network.with_denied({}));
  NetworkRequest request{.policy = std::move(view.policy), .preset = {}, .at = {}};
  std::vector<model::NetworkRule>& rules = request.policy.rules;
  drop_front(rules, denied.rules);
  std::erase_if(rules, [&](const model::NetworkRule& rule) {
    auto names = [&](const model::NetworkRule& one) { return one.target == rule.target; };
    return std::ranges::find(edit.without, rule.target) != edit.without.end() ||
           std::ranges::any_of(edit.first, names);
  });
  rules.insert(rules.begin(), std::make_move_iterator(edit.first.begin()),
               std::make_move_iterator(edit.first.end()));
  co_return co_await replace(std::move(caller), std::move(id), std::move(request));
}

}  // namespace atl::control
