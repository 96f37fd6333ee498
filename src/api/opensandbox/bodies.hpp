// What clients of OpenSandbox send to the lifecycle API, member by member; others are passed over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

namespace atl::api::opensandbox {

using StringMap = std::map<std::string, std::string>;

struct ImageBody {
  std::string uri;
};
BOOST_DESCRIBE_STRUCT(ImageBody, (), (uri))

struct PlatformBody {
  std::string os;
  std::string arch;
};
BOOST_DESCRIBE_STRUCT(PlatformBody, (), (os, arch))

struct RuleBody {
  std::string action;
  std::string target;
};
BOOST_DESCRIBE_STRUCT(RuleBody, (), (action, target))

struct PolicyBody {
  static constexpr bool kCamelCase = true;
  std::optional<std::string> default_action;
  std::optional<std::vector<RuleBody>> egress;
};
BOOST_DESCRIBE_STRUCT(PolicyBody, (), (default_action, egress))

struct SwitchBody {
  bool enabled = false;
};
BOOST_DESCRIBE_STRUCT(SwitchBody, (), (enabled))

struct CreateBody {
  static constexpr bool kCamelCase = true;
  std::optional<ImageBody> image;
  std::optional<std::string> snapshot_id;
  std::optional<std::string> template_id;
  std::optional<std::uint64_t> timeout;  // seconds; absent or null: as long as may be
  std::optional<StringMap> resource_limits;
  std::optional<StringMap> env;
  std::optional<StringMap> metadata;
  std::optional<std::vector<std::string>> entrypoint;
  std::optional<PlatformBody> platform;
  std::optional<PolicyBody> network_policy;
  std::optional<SwitchBody> credential_proxy;
  std::optional<std::vector<boost::json::value>> volumes;
  std::optional<StringMap> extensions;
  std::optional<boost::json::value> lifecycle;
};
BOOST_DESCRIBE_STRUCT(CreateBody, (),
                      (image, snapshot_id, template_id, timeout, resource_limits, env, metadata,
                       entrypoint, platform, network_policy, credential_proxy, volumes, extensions,
                       lifecycle))

struct RenewBody {
  static constexpr bool kCamelCase = true;
  std::string expires_at;
};
BOOST_DESCRIBE_STRUCT(RenewBody, (), (expires_at))

struct TakeSnapshotBody {
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(TakeSnapshotBody, (), (name))

// What is kept of a create request in the session's metadata, under "opensandbox".
struct Origin {
  static constexpr bool kCamelCase = true;
  std::string image;
  std::string snapshot_id;
  std::vector<std::string> entrypoint;
  StringMap extensions;
};
BOOST_DESCRIBE_STRUCT(Origin, (), (image, snapshot_id, entrypoint, extensions))

}  // namespace atl::api::opensandbox
