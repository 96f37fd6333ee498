#include "api/opensandbox/sandbox_view.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "base/environment_name.hpp"
#include "codec/json.hpp"
#include "http/uri.hpp"

namespace atl::api::opensandbox {

namespace {

using boost::json::object;
using model::SessionState;

constexpr std::string_view kReserved = "opensandbox.io/";
constexpr double kMegabyte = 1 << 20;

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kUnits[] = {{"m", 1e-3},
                           {"", 1},
                           {"k", 1e3},
                           {"K", 1e3},
                           {"M", 1e6},
                           {"G", 1e9},
                           {"T", 1e12},
                           {"Ki", 1024.0},
                           {"Mi", 1024.0 * 1024},
                           {"Gi", 1024.0 * 1024 * 1024},
                           {"Ti", 1024.0 * 1024 * 1024 * 1024}};

// A quantity of Kubernetes: digits, perhaps a fraction, and a unit.
std::optional<double> quantity_of(std::string_view text) {
  std::size_t end = text.find_first_not_of("0123456789.");
  std::string_view digits = text.substr(0, end);
  std::string_view unit = end == text.npos ? std::string_view() : text.substr(end);
  double number = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size()) return {};
  for (const Unit& one : kUnits) {
    double value = number * one.factor;
    if (one.name == unit && std::isfinite(value) && value < 1e18) return value;
  }
  return {};
}

Answer<std::uint64_t> megabytes_of(const std::string& name, const std::string& text) {
  auto bytes = quantity_of(text);
  if (!bytes || *bytes < 1) {
    return refuse_value("/resourceLimits/" + name, "must be a quantity such as 512Mi");
  }
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(*bytes / kMegabyte)));
}

// What cannot be had is refused: a sandbox without it would be another one than was asked for.
Answer<void> check_possible(const CreateBody& body) {
  if (body.template_id) {
    return refuse(501, "not_supported", "templateId: this server has no golden images");
  }
  if (body.image.has_value() == body.snapshot_id.has_value()) {
    return refuse(Code::kInvalidArgument, "one of `image` and `snapshotId` is required");
  }
  if (body.image && body.image->uri.empty()) return refuse_value("/image/uri", "is required");
  if (body.volumes && !body.volumes->empty()) {
    return refuse(501, "not_supported", "volumes: this server mounts no volumes into sandboxes");
  }
  if (body.credential_proxy && body.credential_proxy->enabled) {
    return refuse(501, "not_supported",
                  "credentialProxy: use the secrets of the server's own API instead");
  }
  if (body.lifecycle && !body.lifecycle->is_null()) {
    return refuse(501, "not_supported", "lifecycle: this server runs no hooks");
  }
  if (body.platform && !body.platform->os.empty() && body.platform->os != "linux") {
    return refuse_value("/platform/os", "must be linux");
  }
  if (body.extensions && body.extensions->contains("poolRef")) {
    return refuse(501, "not_supported", "extensions.poolRef: pools belong to templates here");
  }
  return {};
}

Answer<void> check_environment(const StringMap& environment) {
  for (const auto& [name, value] : environment) {
    if (!is_environment_name(name) || !is_environment_value(value) || value.size() > kMaxValue) {
      return refuse_value("/env/" + name.substr(0, kMaxName), "is not a valid variable");
    }
  }
  return {};
}

std::string_view program_name(const std::vector<std::string>& entrypoint) {
  std::string_view program = entrypoint.front();
  return program.substr(program.rfind('/') + 1);
}

std::string time_of(model::Time time) { return rfc3339(time); }

object status_view(const model::Session& session) {
  object status{{"state", state_name(session.state)},
                {"lastTransitionAt", time_of(session.updated_at)}};
  if (!session.error_code.empty()) status["reason"] = session.error_code;
  if (!session.error_message.empty()) status["message"] = session.error_message;
  return status;
}

}  // namespace

std::string_view state_name(SessionState state) {
  switch (state) {
    case SessionState::kCreating: return "Pending";
    case SessionState::kReady:
    case SessionState::kRunning: return "Running";
    case SessionState::kPaused: return "Paused";
    case SessionState::kCompleted:
    case SessionState::kTerminated: return "Terminated";
    case SessionState::kFailed: return "Failed";
  }
  return "Failed";
}

std::vector<SessionState> states_named(std::string_view name) {
  if (name == "Pending") return {SessionState::kCreating};
  if (name == "Running") return {SessionState::kReady, SessionState::kRunning};
  if (name == "Paused") return {SessionState::kPaused};
  if (name == "Failed") return {SessionState::kFailed};
  return {};
}

Answer<model::Resources> to_resources(const StringMap& limits) {
  model::Resources resources;
  for (const auto& [name, text] : limits) {
    if (name == "cpu") {
      auto cores = quantity_of(text);
      if (!cores || *cores < 0.001 || *cores > 100'000) {
        return refuse_value("/resourceLimits/cpu", "must be a quantity such as 500m");
      }
      resources.cpu = std::max(0.01, *cores);
    } else if (name == "memory") {
      ATOLL_TRY(resources.memory, megabytes_of(name, text));
      resources.memory = std::max<std::uint64_t>(8, *resources.memory);
    } else if (name == "ephemeral-storage" || name == "disk") {
      ATOLL_TRY(resources.disk, megabytes_of(name, text));
    } else if (name == "gpu" && text != "0") {
      return refuse_value("/resourceLimits/gpu", "sandboxes of this server have no GPU");
    }
  }
  return resources;
}

Answer<void> check_metadata(const StringMap& metadata) {
  if (metadata.size() > kMaxEntries) return refuse_value("/metadata", "has too many members");
  for (const auto& [name, value] : metadata) {
    std::string at = "/metadata/" + name.substr(0, kMaxName);
    if (name.empty() || name.size() > kMaxName || name.find('\0') != name.npos) {
      return refuse_value(at, "has a name that is empty or too long");
    }
    if (name.starts_with(kReserved)) return refuse_value(at, "is a reserved name");
    if (value.size() > kMaxLabel || value.find('\0') != value.npos) {
      return refuse_value(at, "is longer than 1024 bytes");
    }
  }
  return {};
}

bool only_waits(const std::vector<std::string>& entrypoint) {
  if (entrypoint.empty()) return true;
  std::string_view name = program_name(entrypoint);
  if (name != "tail" && name != "sleep") return false;
  std::string rest;
  for (std::size_t i = 1; i < entrypoint.size(); ++i) rest += entrypoint[i] + " ";
  return rest == "-f /dev/null " || rest == "infinity " || rest == "inf ";
}

bool is_code_interpreter(const std::vector<std::string>& entrypoint) {
  return !entrypoint.empty() && program_name(entrypoint) == "code-interpreter.sh";
}

Answer<control::CreateRequest> to_request(CreateBody body) {
  ATOLL_CHECK(check_possible(body));
  control::CreateRequest request;
  Origin origin{.image = body.image ? std::move(body.image->uri) : "",
                .snapshot_id = body.snapshot_id.value_or(""),
                .entrypoint = std::move(body.entrypoint).value_or(std::vector<std::string>()),
                .extensions = std::move(body.extensions).value_or(StringMap())};
  if (origin.image.size() > kMaxPath) return refuse_value("/image/uri", "is too long");
  if (origin.entrypoint.size() > kMaxArguments) return refuse_value("/entrypoint", "is too long");
  if (origin.entrypoint.empty()) origin.entrypoint = {"tail", "-f", "/dev/null"};
  if (body.timeout && (*body.timeout == 0 || *body.timeout > kMaxSeconds)) {
    return refuse_value("/timeout", "must be a number of seconds");
  }
  request.config.timeout_seconds = body.timeout;
  ATOLL_TRY(request.config.resources,
            to_resources(std::move(body.resource_limits).value_or(StringMap())));
  request.config.capped = true;
  request.config.environment = std::move(body.env).value_or(StringMap());
  ATOLL_CHECK(check_environment(request.config.environment));
  request.config.environment.emplace("EXECD_ENVS", kEnvironmentFile);
  request.labels = std::move(body.metadata).value_or(StringMap());
  ATOLL_CHECK(check_metadata(request.labels));
  request.snapshot_id = origin.snapshot_id;
  request.metadata_json = codec::serialize(object{{"opensandbox", codec::to_json(origin)}});
  if (request.metadata_json.size() > kMaxMetadata) {
    return refuse_value("/entrypoint", "and the extensions are too long together");
  }
  return request;
}

Origin origin_of(const model::Session& session) {
  boost::json::value metadata = parsed_or_null(session.metadata_json);
  const object* members = metadata.if_object();
  const boost::json::value* kept =
      members != nullptr ? members->if_contains("opensandbox") : nullptr;
  Origin origin;
  if (kept != nullptr) {
    auto read = codec::decode_value<Origin>(*kept, {.ignore_unknown = true, .keep_defaults = true});
    if (read) origin = std::move(*read);
  }
  // One that REST has made: its template is what it was made of.
  if (origin.image.empty() && origin.snapshot_id.empty()) origin.image = session.template_id;
  if (origin.entrypoint.empty()) origin.entrypoint = {"tail", "-f", "/dev/null"};
  return origin;
}

object created_view(const model::Session& session) {
  Origin origin = origin_of(session);
  object view{{"id", session.id.str()},
              {"status", status_view(session)},
              {"metadata", codec::to_json(session.labels)},
              {"createdAt", time_of(session.created_at)},
              {"entrypoint", codec::to_json(origin.entrypoint)}};
  if (session.expires_at) view["expiresAt"] = time_of(*session.expires_at);
  if (!origin.extensions.empty()) view["extensions"] = codec::to_json(origin.extensions);
  return view;
}

object sandbox_view(const model::Session& session) {
  Origin origin = origin_of(session);
  object view = created_view(session);
  if (!origin.snapshot_id.empty()) {
    view["snapshotId"] = origin.snapshot_id;
  } else {
    view["image"] = object{{"uri", origin.image}};
  }
  return view;
}

object snapshot_view(const model::Snapshot& snapshot) {
  object view{{"id", snapshot.id},
              {"sandboxId", snapshot.session_id.str()},
              {"status", object{{"state", "Ready"},
                                {"reason", "snapshot_ready"},
                                {"lastTransitionAt", time_of(snapshot.created_at)}}},
              {"createdAt", time_of(snapshot.created_at)}};
  if (!snapshot.name.empty()) view["name"] = snapshot.name;
  return view;
}

object pagination(std::uint64_t page, std::uint64_t size, std::uint64_t total) {
  std::uint64_t pages = total / size + (total % size == 0 ? 0 : 1);
  return {{"page", page},
          {"pageSize", size},
          {"totalItems", total},
          {"totalPages", pages},
          {"hasNextPage", page < pages}};
}

Answer<StringMap> parse_metadata_filter(std::string_view text) {
  StringMap filter;
  if (text.empty()) return filter;
  for (std::string_view pair : split(text, '&')) {
    std::size_t equals = pair.find('=');
    std::optional<std::string> name = http::percent_decode(pair.substr(0, equals));
    std::optional<std::string> value;
    if (equals != pair.npos) value = http::percent_decode(pair.substr(equals + 1));
    if (!name || name->empty() || !value) {
      return refuse(400, "invalid_metadata_format",
                    "`metadata` is NAME=VALUE&NAME=VALUE, each "
                    "percent-encoded");
    }
    filter[std::move(*name)] = std::move(*value);
  }
  return filter;
}

}  // namespace atl::api::opensandbox
