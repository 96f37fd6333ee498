#include "backends/srt/settings.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::backends::srt {
namespace {

namespace json = boost::json;

std::unexpected<Error> bad_base(std::string_view what) {
  return fail(Code::kInvalidArgument,
              "the settings file of srt (sandbox.backends.srt.settingsPath) " + std::string(what));
}

Result<json::object> parsed(const std::string& base) {
  if (base.empty()) return json::object();
  auto value = codec::parse(base);
  if (!value) return bad_base("is not JSON");
  if (!value->is_object()) return bad_base("is not a JSON object");
  return std::move(value->as_object());
}

Result<json::object*> block(json::object& all, std::string_view name) {
  json::value& value = all[name];
  if (value.is_null()) value = json::object();
  if (!value.is_object()) return bad_base(std::string(name).append(" must be an object"));
  return &value.as_object();
}

// Appends what is not there yet.
Result<void> extend(json::object& block, std::string_view name, const json::array& more) {
  json::value& value = block[name];
  if (value.is_null()) value = json::array();
  if (!value.is_array()) return bad_base(std::string(name).append(" must be a list"));
  json::array& list = value.as_array();
  for (const json::value& one : more) {
    bool there = false;
    for (const json::value& old : list) there |= old == one;
    if (!there) list.push_back(one);
  }
  return {};
}

json::array names(const std::vector<std::string>& list) {
  json::array all;
  for (const std::string& one : list) all.emplace_back(one);
  return all;
}

// Literal: srt would take * and ~ in a plain string for patterns.
json::array paths(const std::vector<std::string>& list) {
  json::array all;
  for (const std::string& one : list) all.push_back({{"path", one}, {"literal", true}});
  return all;
}

bool covers(const std::string& folder, const std::string& path) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

// What may be written may be read, unless the policy says that it may not.
std::vector<std::string> readable(const sandbox::FilesystemPolicy& policy) {
  std::vector<std::string> all;
  for (const std::string& path : policy.allow_write) {
    bool denied = false;
    for (const std::string& deny : policy.deny_read) denied |= covers(deny, path);
    if (!denied) all.push_back(path);
  }
  return all;
}

json::array joined(json::array first, const json::array& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Result<void> check_base(const std::string& base) {
  ATOLL_TRY([[maybe_unused]] std::string text, settings_text(base, {}));
  return {};
}

Result<std::string> settings_text(const std::string& base, const SettingsPlan& plan) {
  ATOLL_TRY(json::object all, parsed(base));
  ATOLL_TRY(json::object * network, block(all, "network"));
  if (plan.network.allow_others) (*network)["allowedDomains"] = json::array();
  ATOLL_CHECK(extend(*network, "allowedDomains", names(plan.network.allowed_domains)));
  ATOLL_CHECK(extend(*network, "deniedDomains", names(plan.network.denied_domains)));
  if (plan.network.allow_local_binding) (*network)["allowLocalBinding"] = true;
  const json::value* sockets = network->if_contains("allowAllUnixSockets");
  if (sockets != nullptr && *sockets != json::value(false)) {
    return fail(
        Code::kPolicyUnsupported,
        "the settings file of srt says network.allowAllUnixSockets: sandboxes could talk to "
        "services of this host");
  }
  ATOLL_TRY(json::object * filesystem, block(all, "filesystem"));
  const json::value* disabled = filesystem->if_contains("disabled");
  if (disabled != nullptr && *disabled != json::value(false)) {
    return fail(Code::kPolicyUnsupported,
                "the settings file of srt says filesystem.disabled: sandboxes could read and write "
                "what is Atoll's own");
  }
  json::array own = paths(plan.writable);
  ATOLL_CHECK(extend(*filesystem, "denyRead",
                     joined(paths(plan.hidden), paths(plan.filesystem.deny_read))));
  ATOLL_CHECK(extend(*filesystem, "allowRead",
                     joined(joined(own, paths(plan.shown)), paths(readable(plan.filesystem)))));
  ATOLL_CHECK(extend(*filesystem, "allowWrite", joined(own, paths(plan.filesystem.allow_write))));
  ATOLL_CHECK(extend(*filesystem, "denyWrite", paths(plan.filesystem.deny_write)));
  return codec::serialize(all);
}

}  // namespace atl::backends::srt
