// What programs in a sandbox trust: the roots of its root file system and the instance's authority.
// Pure, but for OpenSSL's parser.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::egress {

// For everything that reads PEM: `roots` (a bundle, perhaps empty) and the authority's certificate.
std::string pem_trust_store(std::string_view roots, std::string_view authority);

// The same certificates for Java, which reads no PEM: a JKS file with its usual password
// "changeit". Certificates of `bundle` that cannot be read are left out.
Result<std::string> java_trust_store(std::string_view bundle);

}  // namespace atl::egress
