// What a sandbox sees of secrets and header rules: placeholders in its environment, and trust
// stores with the instance's authority in them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/network.hpp"

namespace atl::egress {

// Whether TLS of some hosts is opened on the way, so that the sandbox must trust the authority.
bool needs_trust(const model::NetworkPolicy& policy);

// The placeholder of the variable `env` in this sandbox, always the same one: programs that have it
// outlive servers. It is worth nothing anywhere else.
std::string placeholder_of(std::string_view sandbox, std::string_view env);

// Where programs look for whom to trust.
inline constexpr std::string_view kBundleInside = "/etc/ssl/certs/ca-certificates.crt";
inline constexpr std::string_view kJavaStoreInside = "/etc/ssl/certs/java/cacerts";

// The variables of a sandbox with this policy: placeholders, and where the bundle is for programs
// that look elsewhere.
std::map<std::string, std::string> environment_inside(std::string_view sandbox,
                                                      const model::NetworkPolicy& policy);

// Files of one instance, in a folder of its own.
struct TrustFiles {
  std::string authority;   // key and certificate, as Authority::pem() gives them; a secret
  std::string bundle;      // path: roots of this host and the authority
  std::string java_store;  // path: the same for Java; empty: there is none
};
// Makes what is missing. The key is in a file for its owner alone; the roots of the host may have
// changed since the last time. Blocks.
Result<TrustFiles> trust_files(const std::string& folder);

}  // namespace atl::egress
