// The network policy of a session: what may be reached, and which secrets go where. Plain data, as
// the client said it (with presets replaced by their rules); `egress` compiles and enforces it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(NetworkAction, kDeny, kAllow)

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 65535;
};
BOOST_DESCRIBE_STRUCT(PortRange, (), (first, last))

struct NetworkRule {
  NetworkAction action = NetworkAction::kAllow;
  std::string target;            // a name, "*.NAME", "*", or a network ("10.0.0.0/8")
  std::vector<PortRange> ports;  // none: all
};
BOOST_DESCRIBE_STRUCT(NetworkRule, (), (action, target, ports))

// What a header is set to: text, or the value of a stored secret. One of the two.
struct HeaderValue {
  std::optional<std::string> value;
  std::optional<std::string> secret;
};
BOOST_DESCRIBE_STRUCT(HeaderValue, (), (value, secret))

// The variable `env` holds a placeholder; on its way to one of `hosts` it becomes the secret's
// value.
struct SecretUse {
  std::string env;
  std::string secret;              // its name in the store
  std::vector<std::string> hosts;  // patterns of names
};
BOOST_DESCRIBE_STRUCT(SecretUse, (), (env, secret, hosts))

struct NetworkPolicy {
  NetworkAction default_ = NetworkAction::kDeny;
  std::vector<NetworkRule> rules;          // the first that matches decides
  std::vector<std::string> allow_private;  // networks that may be reached though they are not
                                           // public
  std::map<std::string, std::map<std::string, HeaderValue>> headers;  // pattern of names → name →
                                                                      // value
  std::vector<SecretUse> secrets;
  std::vector<std::string> no_intercept;  // patterns of names whose TLS is never opened
};
BOOST_DESCRIBE_STRUCT(NetworkPolicy, (),
                      (default_, rules, allow_private, headers, secrets, no_intercept))

// False only for a policy that nothing gets through.
bool allows_anything(const NetworkPolicy& policy);

}  // namespace atl::model
