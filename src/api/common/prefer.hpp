// The field Prefer (RFC 7240), as far as it is understood here. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "http/message.hpp"

namespace atl::api {

struct Prefer {
  bool wait = false;
  std::optional<std::chrono::seconds> seconds;  // wait=N, at most kMaxWait
};

// `wait`, `wait=10`; of several the first counts, and what is not understood is passed over.
Prefer parse_prefer(const http::Headers& headers);

// Whether Accept asks for this type by name, and not with q=0.
bool accepts(const http::Headers& headers, std::string_view type);

}  // namespace atl::api
