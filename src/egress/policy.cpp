#include "egress/policy.hpp"

#include <algorithm>
#include <array>

#include "base/environment_name.hpp"
#include "base/field_error.hpp"
#include "egress/host_name.hpp"

namespace atl::egress {

namespace {

std::unexpected<Error> wrong(const std::string& pointer, std::string message) {
  return fail(field_error(Code::kInvalidValue, pointer, std::move(message)));
}

std::string at(const std::string& pointer, std::size_t index) {
  return pointer + "/" + std::to_string(index);
}

// A key as a part of a JSON pointer (RFC 6901).
std::string at(const std::string& pointer, std::string_view key) {
  std::string result = pointer + "/";
  for (char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

Result<void> check_count(std::size_t count, std::size_t most, const std::string& pointer) {
  if (count <= most) return {};
  return wrong(pointer, "has " + std::to_string(count) + " entries; at most " +
                            std::to_string(most) + " are allowed");
}

// "1.2.3", "0x7f.1" and "2130706433" are addresses to some programs and names to others.
bool ends_in_number(std::string_view name) {
  std::string_view last = name.substr(name.rfind('.') + 1);  // all of it without a dot
  bool hex = last.starts_with("0x");
  if (hex) last.remove_prefix(2);
  return std::ranges::all_of(
      last, [hex](char c) { return (c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f'); });
}

constexpr const char* kNameHelp =
    "write a name (example.org), *.NAME for all names below it, or * for all; international names "
    "as A-labels (xn--…)";

Result<std::string> pattern_of(const std::string& text, const std::string& pointer) {
  std::optional<std::string> pattern = canonical_pattern(text);
  if (!pattern || ends_in_number(*pattern)) return wrong(pointer, kNameHelp);
  return *pattern;
}

Result<std::vector<std::string>> patterns_of(const std::vector<std::string>& texts,
                                             const std::string& pointer) {
  ATOLL_CHECK(check_count(texts.size(), Policy::kMaxHosts, pointer));
  std::vector<std::string> patterns;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ATOLL_TRY(std::string pattern, pattern_of(texts[i], at(pointer, i)));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

Result<Rule> rule_of(const model::NetworkRule& from, const std::string& pointer) {
  bool allow = from.action == model::NetworkAction::kAllow;
  Rule rule{.action = allow ? Action::kAllow : Action::kDeny};
  if (std::optional<Network> network = Network::parse(from.target)) {
    rule.target = *network;
  } else if (from.target.find_first_of("/:") != std::string::npos) {
    return wrong(pointer + "/target",
                 "write a network as ADDRESS/BITS with no bits set behind the prefix, and ports in "
                 "\"ports\"");
  } else {
    ATOLL_TRY(rule.target, pattern_of(from.target, pointer + "/target"));
  }
  ATOLL_CHECK(check_count(from.ports.size(), Policy::kMaxPorts, pointer + "/ports"));
  for (std::size_t i = 0; i < from.ports.size(); ++i) {
    const model::PortRange& range = from.ports[i];
    if (range.first > range.last) {
      return wrong(at(pointer + "/ports", i), "the first port is above the last one");
    }
    rule.ports.push_back({range.first, range.last});
  }
  return rule;
}

// The relay sets the headers for the length of a message, its host and the connection itself.
bool is_header_to_set(std::string_view name) {
  constexpr auto kNever = std::to_array<std::string_view>(
      {"connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
       "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"});
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  std::string lower;
  for (char c : name) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && kMarks.find(c) == kMarks.npos) return false;
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return !name.empty() && name.size() <= 256 && std::ranges::find(kNever, lower) == kNever.end();
}

bool is_header_value(std::string_view value) {
  return value.size() <= 16 * 1024 && std::ranges::none_of(value, [](char c) {
           return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f;
         });
}

Result<HeaderRule> header_of(const std::string& pattern, const std::string& name,
                             const model::HeaderValue& value, const std::string& pointer) {
  if (!is_header_to_set(name)) return wrong(pointer, "is not a header that can be set");
  if (value.value.has_value() == value.secret.has_value()) {
    return wrong(pointer, "needs exactly one of \"value\" and \"secret\"");
  }
  if (value.value && !is_header_value(*value.value)) {
    return wrong(pointer + "/value", "has control characters or more than 16 KiB");
  }
  if (value.secret && value.secret->empty()) return wrong(pointer + "/secret", "is empty");
  return HeaderRule{pattern, name, value.value ? *value.value : *value.secret,
                    value.secret.has_value()};
}

Result<SecretRule> secret_of(const model::SecretUse& from, const std::string& pointer) {
  if (!is_environment_name(from.env)) return wrong(pointer + "/env", "is not a variable's name");
  if (from.secret.empty()) return wrong(pointer + "/secret", "is empty");
  if (from.hosts.empty()) return wrong(pointer + "/hosts", "is empty: name the hosts that get it");
  ATOLL_TRY(std::vector<std::string> hosts, patterns_of(from.hosts, pointer + "/hosts"));
  auto any = std::ranges::find(hosts, "*");
  if (any != hosts.end()) {
    return wrong(at(pointer + "/hosts", static_cast<std::size_t>(any - hosts.begin())),
                 "a secret goes to hosts that are named, not to all");
  }
  return SecretRule{from.env, from.secret, std::move(hosts)};
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return matches(one, name); });
}

}  // namespace

bool Policy::allows_private(const Address& address) const {
  return std::ranges::any_of(allow_private_,
                             [&](const Network& one) { return one.contains(address); });
}

Result<void> Policy::pin(const std::string& host, const std::vector<std::string>& addresses) {
  std::optional<Address> own = Address::parse(host);
  std::optional<std::string> name = own ? own->to_string() : canonical_pattern(host);
  if (!name || name->starts_with('*')) return wrong("", "a pinned host is a name or an address");
  std::vector<Address>& all = pinned_[*name];
  for (const std::string& text : addresses) {
    std::optional<Address> address = Address::parse(text);
    if (!address) return wrong("", "a pinned host has addresses");
    all.push_back(*address);
  }
  return {};
}

const std::vector<Address>* Policy::pinned(const std::string& host) const {
  auto found = pinned_.find(host);
  return found == pinned_.end() ? nullptr : &found->second;
}

bool Policy::intercepts(std::string_view name) const {
  if (any_matches(no_intercept_, name)) return false;
  return std::ranges::any_of(headers_,
                             [&](const HeaderRule& one) { return matches(one.pattern, name); }) ||
         std::ranges::any_of(secrets_,
                             [&](const SecretRule& one) { return any_matches(one.hosts, name); });
}

Result<Policy> compile(const model::NetworkPolicy& policy) {
  ATOLL_CHECK(check_count(policy.rules.size(), Policy::kMaxRules, "/rules"));
  ATOLL_CHECK(check_count(policy.allow_private.size(), Policy::kMaxNetworks, "/allow_private"));
  ATOLL_CHECK(check_count(policy.headers.size(), Policy::kMaxHosts, "/headers"));
  ATOLL_CHECK(check_count(policy.secrets.size(), Policy::kMaxSecrets, "/secrets"));
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    ATOLL_TRY(Rule rule, rule_of(policy.rules[i], at("/rules", i)));
    rules.push_back(std::move(rule));
  }
  bool allow = policy.default_ == model::NetworkAction::kAllow;
  Policy result(Rules(rules, allow ? Action::kAllow : Action::kDeny));
  for (std::size_t i = 0; i < policy.allow_private.size(); ++i) {
    std::optional<Network> network = Network::parse(policy.allow_private[i]);
    if (!network) {
      return wrong(at("/allow_private", i),
                   "write a network as ADDRESS/BITS with no bits set behind the prefix");
    }
    result.allow_private_.push_back(*network);
  }
  for (const auto& [key, headers] : policy.headers) {
    std::string pointer = at("/headers", key);
    ATOLL_TRY(std::string pattern, pattern_of(key, pointer));
    ATOLL_CHECK(check_count(headers.size(), Policy::kMaxSecrets, pointer));
    for (const auto& [name, value] : headers) {
      ATOLL_TRY(HeaderRule rule, header_of(pattern, name, value, at(pointer, name)));
      result.headers_.push_back(std::move(rule));
    }
  }
  for (std::size_t i = 0; i < policy.secrets.size(); ++i) {
    ATOLL_TRY(SecretRule rule, secret_of(policy.secrets[i], at("/secrets", i)));
    result.secrets_.push_back(std::move(rule));
  }
  ATOLL_TRY(result.no_intercept_, patterns_of(policy.no_intercept, "/no_intercept"));
  return result;
}

}  // namespace atl::egress
