// Signed links to files, as E2B's clients make them: `v1_` and the base64 of
// SHA-256("path:operation:user:token[:expiration]"). Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/refusal.hpp"
#include "http/message.hpp"

namespace atl::api::e2b {

struct SignedLink {
  std::string path;
  std::string operation;  // "read" or "write"
  std::string user;
  std::string expiration;  // digits, as they were signed; empty: it never expires
  std::string signature;

  bool is_signed_with(std::string_view token) const;
};

// 401 for one that has expired, 400 for an expiration that is no number of seconds.
Answer<SignedLink> signed_link(const http::Request& request,
                               std::chrono::system_clock::time_point now);
std::string signature_of(const SignedLink& link, std::string_view token);

}  // namespace atl::api::e2b
