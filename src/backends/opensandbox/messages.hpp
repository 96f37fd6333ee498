// The lifecycle API's JSON: what is asked of the server and what it answers. Pure. Its servers add
// fields as they please, so unknown ones are passed over, and a missing one is an Error.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/opensandbox/settings.hpp"
#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::opensandbox {

inline constexpr const char* kInstanceLabel = "atoll.instance";
inline constexpr const char* kSandboxLabel = "atoll.sandbox";

// A sandbox as the server describes it.
struct RemoteInfo {
  std::string id;
  std::string state;  // Pending, Running, Pausing, Paused, Resuming, Stopping, Terminated, Failed
  std::map<std::string, std::string> metadata;
};

struct RemoteList {
  std::vector<RemoteInfo> items;
  bool has_next_page = false;
};

// Where a port of a sandbox is reached: "host[:port][/path]" without a scheme.
struct Endpoint {
  std::string address;
  std::map<std::string, std::string> headers;
};

// The body of POST /sandboxes. The spec's image and the limits that were asked for win over the
// settings.
std::string create_body(const Settings& settings, const sandbox::SandboxSpec& spec);
// The body of POST …/renew-expiration.
std::string renew_body(std::chrono::system_clock::time_point until);

Result<RemoteInfo> read_info(std::string_view body);
Result<RemoteList> read_list(std::string_view body);
Result<Endpoint> read_endpoint(std::string_view body);

// The Error behind an answer that is no success: {code, message}, FastAPI's {detail}, plain text,
// or nothing at all.
Error error_of(int status, std::string_view body);
// The `code` of such a body, or "".
std::string error_code(std::string_view body);

}  // namespace atl::backends::opensandbox
