// Resources: the files of a sandbox's workspace, as atoll://SANDBOX/PATH. `default` is the client's
// own sandbox.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/mcp/call.hpp"

namespace atl::api::mcp {

struct FileUri {
  std::string sandbox;  // an id, or "default"
  std::string path;     // relative to the workspace, decoded
};
// nullopt for anything else. Pure.
std::optional<FileUri> parse_file_uri(std::string_view uri);
std::string file_uri(std::string_view sandbox, std::string_view path);
// By the name's ending.
std::string_view mime_type(std::string_view path);

using Outcome = std::expected<object, Fault>;

Task<Outcome> list_resources(CallPtr call);
Task<Outcome> list_templates(CallPtr call);
Task<Outcome> read_resource(CallPtr call);

}  // namespace atl::api::mcp
