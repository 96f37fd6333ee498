// The client's side of TLS for intercepted connections: whom it trusts.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string_view>

#include "base/result.hpp"

namespace atl::egress {

// Trusts the certificates of both PEM bundles, and verifies; http/1.1 only. kInvalidValue when
// `more` has text and no certificate in it. Takes 10 ms for the roots of an ordinary host.
Result<std::shared_ptr<SSL_CTX>> upstream_context(std::string_view roots, std::string_view more);

}  // namespace atl::egress
