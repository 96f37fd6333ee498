// Bodies about networks and secrets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "bodies/common.hpp"
#include "model/network.hpp"

namespace atl::bodies {

struct NetworkRuleBody {
  model::NetworkAction action = model::NetworkAction::kAllow;
  std::string target;
  std::optional<std::vector<boost::json::value>> ports;  // 443 or "8000-8999"
};
BOOST_DESCRIBE_STRUCT(NetworkRuleBody, (), (action, target, ports))

struct NetworkPolicyBody {
  std::optional<model::NetworkAction> default_;
  std::optional<std::vector<NetworkRuleBody>> rules;
  std::optional<std::vector<std::string>> allow_private;
  // Pattern → name → "value" or {"secret": NAME}.
  std::optional<std::map<std::string, std::map<std::string, boost::json::value>>> headers;
  std::optional<std::vector<model::SecretUse>> secrets;
  std::optional<std::vector<std::string>> no_intercept;
  std::optional<std::string> preset;  // only in requests
};
BOOST_DESCRIBE_STRUCT(NetworkPolicyBody, (),
                      (default_, rules, allow_private, headers, secrets, no_intercept, preset))

struct NetworkConnectionBody {
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t tx_bytes = 0;
  std::string since;
};
BOOST_DESCRIBE_STRUCT(NetworkConnectionBody, (), (host, port, rx_bytes, tx_bytes, since))

struct NetworkRefusalBody {
  std::string host;
  std::uint16_t port = 0;  // 0: the name was asked for
  std::string reason;
  std::string detail;
  std::string at;
};
BOOST_DESCRIBE_STRUCT(NetworkRefusalBody, (), (host, port, reason, detail, at))

struct NetworkFiguresBody {
  std::uint64_t connections = 0;
  std::uint64_t connections_total = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t refused_total = 0;
  std::vector<NetworkConnectionBody> open;
  std::vector<NetworkRefusalBody> refused;
};
BOOST_DESCRIBE_STRUCT(NetworkFiguresBody, (),
                      (connections, connections_total, rx_bytes, tx_bytes, refused_total, open,
                       refused))

struct SessionNetworkBody {
  std::string session_id;
  NetworkPolicyBody policy;
  Nullable<NetworkFiguresBody> figures;  // null: nobody counts
};
BOOST_DESCRIBE_STRUCT(SessionNetworkBody, (), (session_id, policy, figures))

struct PutSecretBody {
  std::optional<std::string> value;  // text, or
  std::optional<std::string> value_b64;
};
BOOST_DESCRIBE_STRUCT(PutSecretBody, (), (value, value_b64))

struct SecretBody {
  std::string name;
  std::string created_at;
  std::string updated_at;
};
BOOST_DESCRIBE_STRUCT(SecretBody, (), (name, created_at, updated_at))

struct SecretListBody {
  std::vector<SecretBody> secrets;
};
BOOST_DESCRIBE_STRUCT(SecretListBody, (), (secrets))

}  // namespace atl::bodies
