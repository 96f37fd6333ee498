#include "backends/opensandbox/messages.hpp"

#include <ctime>
#include <optional>
#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::backends::opensandbox {
namespace {

namespace json = boost::json;

struct StatusBody {
  std::string state;
};
BOOST_DESCRIBE_STRUCT(StatusBody, (), (state))

struct InfoBody {
  static constexpr bool kCamelCase = true;
  std::string id;
  StatusBody status;
  std::optional<std::map<std::string, std::string>> metadata;
};
BOOST_DESCRIBE_STRUCT(InfoBody, (), (id, status, metadata))

struct PaginationBody {
  static constexpr bool kCamelCase = true;
  bool has_next_page = false;
};
BOOST_DESCRIBE_STRUCT(PaginationBody, (), (has_next_page))

struct ListBody {
  std::vector<InfoBody> items;
  PaginationBody pagination;
};
BOOST_DESCRIBE_STRUCT(ListBody, (), (items, pagination))

struct EndpointBody {
  std::string endpoint;
  std::optional<std::map<std::string, std::string>> headers;
};
BOOST_DESCRIBE_STRUCT(EndpointBody, (), (endpoint, headers))

template <typename T>
Result<T> read(std::string_view body) {
  if (body.empty()) {
    return fail(Code::kBackend, "the OpenSandbox server answered with an empty body");
  }
  auto decoded = codec::decode<T>(body, {.ignore_unknown = true}, {.max_bytes = 16u << 20});
  if (decoded) return std::move(*decoded);
  return fail(Code::kBackend, "the OpenSandbox server's answer is not as its specification says: " +
                                  decoded.error().pointer + " " + decoded.error().detail);
}

RemoteInfo info_of(InfoBody body) {
  return {.id = std::move(body.id),
          .state = std::move(body.status.state),
          .metadata = std::move(body.metadata).value_or(std::map<std::string, std::string>())};
}

json::array strings(const std::vector<std::string>& list) {
  json::array array;
  for (const std::string& one : list) array.emplace_back(one);
  return array;
}

json::object strings(const std::map<std::string, std::string>& map) {
  json::object object;
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

// What is allowed decides, where nothing is said of all others: with a list of it they are denied.
std::optional<json::object> policy_of(const Settings& settings, const sandbox::NetworkPolicy& own) {
  std::vector<std::string> allowed = own.allowed_domains;
  std::vector<std::string> denied = own.denied_domains;
  if (!own.allow_others) {
    allowed.insert(allowed.end(), settings.allowed_domains.begin(), settings.allowed_domains.end());
  }
  denied.insert(denied.end(), settings.denied_domains.begin(), settings.denied_domains.end());
  if (allowed.empty() && denied.empty() && !own.allow_others) return std::nullopt;
  bool others = own.allow_others.value_or(allowed.empty());
  json::array rules;
  auto add = [&](const char* action, const std::vector<std::string>& targets) {
    for (const std::string& target : targets) {
      rules.push_back(json::object{{"action", action}, {"target", target}});
    }
  };
  add("deny", denied);  // the first rule that fits wins
  add("allow", allowed);
  return json::object{{"defaultAction", others ? "allow" : "deny"}, {"egress", std::move(rules)}};
}

json::object volume_of(const Volume& volume) {
  json::object body{{"name", "tos"}, {"mountPath", volume.mount_path}};
  if (!volume.claim.empty()) {
    body["pvc"] = json::object{{"claimName", volume.claim}, {"createIfNotExists", false}};
  } else {
    body["host"] = json::object{{"path", volume.host_path}};
  }
  return body;
}

// One line of what a server wrote.
std::string quoted(std::string_view text) {
  std::string line = to_utf8(text.substr(0, 400));
  for (char& byte : line) {
    if (static_cast<unsigned char>(byte) < ' ') byte = ' ';
  }
  return line;
}

struct ProblemBody {
  std::optional<std::string> code;
  std::optional<std::string> message;
  std::optional<json::value> detail;
};
BOOST_DESCRIBE_STRUCT(ProblemBody, (), (code, message, detail))

Code code_of(int status) {
  switch (status) {
    case 401: return Code::kUnauthenticated;
    case 403: return Code::kForbidden;
    case 404: return Code::kNotFound;
    case 409: return Code::kConflict;
    case 413: return Code::kTooLarge;
    case 429:
    case 503: return Code::kResourceExhausted;
    default: return Code::kBackend;
  }
}

}  // namespace

std::string create_body(const Settings& settings, const sandbox::SandboxSpec& spec) {
  std::string cpu = settings.cpu;
  std::string memory = settings.memory;
  if (spec.asked.cpus) {
    cpu = std::to_string(static_cast<long>(spec.limits.cpus * 1000)) + "m";
  }
  if (spec.asked.memory) memory = std::to_string(spec.limits.memory_bytes >> 20) + "Mi";
  std::map<std::string, std::string> env = settings.env;
  if (!settings.volume.mount_path.empty()) env["TOS_MOUNT_PATH"] = settings.volume.mount_path;
  json::object body{
      {"image", json::object{{"uri", spec.image == "host" ? settings.image : spec.image}}},
      {"entrypoint", strings(settings.entrypoint)},
      {"timeout", settings.timeout.count()},
      {"resourceLimits", json::object{{"cpu", cpu}, {"memory", memory}}},
      {"env", strings(env)},
      {"metadata",
       json::object{{kInstanceLabel, settings.instance}, {kSandboxLabel, spec.id.str()}}}};
  if (auto policy = policy_of(settings, spec.network)) body["networkPolicy"] = std::move(*policy);
  if (!settings.volume.mount_path.empty()) {
    body["volumes"] = json::array{volume_of(settings.volume)};
  }
  return codec::serialize(body);
}

std::string renew_body(std::chrono::system_clock::time_point until) {
  std::time_t seconds = std::chrono::system_clock::to_time_t(until);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return codec::serialize(json::object{{"expiresAt", text}});
}

Result<RemoteInfo> read_info(std::string_view body) {
  ATOLL_TRY(InfoBody info, read<InfoBody>(body));
  return info_of(std::move(info));
}

Result<RemoteList> read_list(std::string_view body) {
  ATOLL_TRY(ListBody list, read<ListBody>(body));
  RemoteList all{.has_next_page = list.pagination.has_next_page};
  for (InfoBody& one : list.items) all.items.push_back(info_of(std::move(one)));
  return all;
}

Result<Endpoint> read_endpoint(std::string_view body) {
  ATOLL_TRY(EndpointBody endpoint, read<EndpointBody>(body));
  Endpoint found{.address = std::move(endpoint.endpoint)};
  if (endpoint.headers) found.headers = std::move(*endpoint.headers);
  if (found.address.empty() || found.address.find("://") != std::string::npos) {
    return fail(Code::kBackend, "the OpenSandbox server names no usable address of the sandbox");
  }
  while (found.address.ends_with('/')) found.address.pop_back();
  return found;
}

Error error_of(int status, std::string_view body) {
  std::string text = "OpenSandbox answered " + std::to_string(status);
  auto problem = codec::decode<ProblemBody>(body, {.ignore_unknown = true});
  if (body.empty()) {
    text += " without a word";
  } else if (!problem) {
    text += ": " + quoted(body);
  } else {
    if (problem->code) text += ": " + quoted(*problem->code);
    if (problem->message) text += ": " + quoted(*problem->message);
    if (problem->detail) text += ": " + quoted(codec::serialize(*problem->detail));
  }
  if (status == 401) {
    text +=
        "; name its key in OPEN_SANDBOX_API_KEY or, for atoll serve, in apiKey of "
        "sandbox.backends.opensandbox";
  }
  if (error_code(body) == "VOLUME::HOST_PATH_NOT_ALLOWED") {
    text += "; name that folder in allowed_host_paths of the server, or set local.tosPath to \"\"";
  }
  return {code_of(status), std::move(text)};
}

std::string error_code(std::string_view body) {
  auto problem = codec::decode<ProblemBody>(body, {.ignore_unknown = true});
  return problem && problem->code ? *problem->code : std::string();
}

}  // namespace atl::backends::opensandbox
