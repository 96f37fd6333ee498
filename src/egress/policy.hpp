// A network policy, checked and compiled: what the model's plain data means. Pure; made once for
// each policy, read for each name and connection.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "egress/address.hpp"
#include "egress/rules.hpp"
#include "model/network.hpp"

namespace atl::egress {

// Which headers a request to certain hosts gets, and which placeholders are replaced in it.
struct HeaderRule {
  std::string pattern;  // canonical
  std::string name;
  std::string value;
  bool is_secret = false;  // `value` is the name of a secret
};

struct SecretRule {
  std::string env;
  std::string secret;
  std::vector<std::string> hosts;  // canonical patterns
};

class Policy {
 public:
  static constexpr std::size_t kMaxRules = 10'000;
  static constexpr std::size_t kMaxNetworks = 1'000;  // of allow_private
  static constexpr std::size_t kMaxPorts = 100;       // ranges in one rule
  static constexpr std::size_t kMaxHosts = 1'000;     // patterns in one list
  static constexpr std::size_t kMaxSecrets = 100;

  // Nothing is allowed.
  Policy() : Policy(Rules({}, Action::kDeny)) {}
  explicit Policy(Rules rules) : rules_(std::move(rules)) {}

  const Rules& rules() const { return rules_; }
  // Whether an address that is not public may be dialled all the same.
  bool allows_private(const Address& address) const;
  // Gives a name, or an address that is connected to as such, its addresses: nobody is asked for
  // them, and they may be dialled for it though they are not public. kInvalidValue.
  Result<void> pin(const std::string& host, const std::vector<std::string>& addresses);
  // Null: it has none.
  const std::vector<Address>* pinned(const std::string& host) const;
  // Whether TLS to that name must be opened: it has headers to set or placeholders to replace.
  bool intercepts(std::string_view name) const;
  const std::vector<HeaderRule>& headers() const { return headers_; }
  const std::vector<SecretRule>& secrets() const { return secrets_; }

 private:
  friend Result<Policy> compile(const model::NetworkPolicy& policy);

  Rules rules_;
  std::vector<Network> allow_private_;
  std::map<std::string, std::vector<Address>> pinned_;
  std::vector<HeaderRule> headers_;
  std::vector<SecretRule> secrets_;
  std::vector<std::string> no_intercept_;
};

// kInvalidValue with the JSON pointer of the member that is wrong (base/field_error.hpp), such as
// "/rules/3/target".
Result<Policy> compile(const model::NetworkPolicy& policy);

}  // namespace atl::egress
