// What happens to code of a level of risk: said by the server's configuration, by a template, by a
// key. Plain data; control/decide.hpp says what several of them come to.
#pragma once

#include <optional>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

namespace atl::model {

// The strictest is the largest.
BOOST_DEFINE_ENUM_CLASS(RiskAction, kAllow, kAsk, kDeny)

// Absent: nothing is said of the level. `ask` and `deny` hold for the levels above, too, unless
// those are named; `allow` does not.
struct RiskPolicy {
  std::optional<RiskAction> low;
  std::optional<RiskAction> medium;
  std::optional<RiskAction> high;
  std::optional<RiskAction> critical;

  bool operator==(const RiskPolicy&) const = default;
  bool empty() const { return *this == RiskPolicy(); }
};
BOOST_DESCRIBE_STRUCT(RiskPolicy, (), (low, medium, high, critical))

}  // namespace atl::model
