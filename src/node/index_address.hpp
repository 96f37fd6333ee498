// The index of packages, as a build sandbox reaches it: by the name of its host, which stands for
// addresses that this process has looked up. So the index may be private or on this machine, and
// nothing else is reached. Pure, except for look_up_host().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace atl::node {

// An index on loopback has another name inside, where loopback is the sandbox's own.
inline constexpr const char* kLoopbackIndex = "packages-index.internal";

struct IndexAddress {
  std::string host;  // of the URL, without brackets
  std::uint16_t port = 0;
  bool on_loopback = false;
  std::string inside;  // the host inside
  std::string url;     // the same URL with that host
};

// kInvalidValue: no URL of http or https.
Result<IndexAddress> index_address(const std::string& url);
// As this machine resolves names, also by /etc/hosts. Blocks. kInvalidValue: it has none.
Result<std::vector<std::string>> look_up_host(const std::string& host);

}  // namespace atl::node
