#include "api/rest/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/body_checks.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

Answer<control::ConfigRequest> config_request(ConfigBody body, const std::string& at) {
  ATOLL_CHECK(check_seconds(body.timeout_seconds, at + "/timeout_seconds"));
  ATOLL_CHECK(check_seconds(body.idle_timeout_seconds, at + "/idle_timeout_seconds"));
  ATOLL_CHECK(check_environment(body.environment, at + "/environment"));
  if (body.resources && body.resources->cpu &&
      (!std::isfinite(*body.resources->cpu) || *body.resources->cpu <= 0)) {
    return refuse_value(at + "/resources/cpu", "must be a number of cores above 0");
  }
  return control::ConfigRequest{
      .timeout_seconds = body.timeout_seconds,
      .idle_timeout_seconds = body.idle_timeout_seconds,
      .allow_network = body.allow_network,
      .environment = std::move(body.environment).value_or(StringMap()),
      .resources = body.resources.value_or(model::Resources()),
  };
}

// Any object of at most kMaxMetadata bytes.
Answer<std::optional<std::string>> metadata_text(const std::optional<boost::json::value>& value) {
  if (!value) return std::nullopt;
  if (!value->is_object()) return refuse_field("/metadata", "must be an object");
  std::string text = codec::serialize(*value);
  if (text.size() > kMaxMetadata) {
    return refuse_value("/metadata",
                        "is longer than " + std::to_string(kMaxMetadata) + " bytes of JSON");
  }
  ATOLL_CHECK(check_no_nul(*value, "/metadata"));
  return text;
}

Answer<control::CreateRequest> create_request(CreateBody body, ConfigBody config,
                                              const std::string& config_at) {
  ATOLL_CHECK(check_text(body.template_id, "/template_id", kMaxName));
  ATOLL_CHECK(check_text(body.session_key, "/session_key", kMaxName));
  ATOLL_CHECK(check_text(body.snapshot_id, "/snapshot_id", kMaxName));
  ATOLL_CHECK(check_map(body.labels, "/labels", kMaxLabel));
  ATOLL_TRY(std::optional<std::string> metadata, metadata_text(body.metadata));
  ATOLL_TRY(control::ConfigRequest wishes, config_request(std::move(config), config_at));
  return control::CreateRequest{
      .template_id = std::move(body.template_id).value_or(""),
      .session_key = std::move(body.session_key).value_or(""),
      .config = std::move(wishes),
      .labels = std::move(body.labels).value_or(StringMap()),
      .metadata_json = std::move(metadata).value_or("{}"),
      .snapshot_id = std::move(body.snapshot_id).value_or(""),
  };
}

template <typename T>
void prefer(std::optional<T>& one, std::optional<T> other) {
  if (other) one = std::move(other);
}

Answer<void> take_command(const boost::json::value& command, control::ExecuteRequest& request) {
  if (const auto* text = command.if_string()) {
    if (text->empty()) return refuse_value("/command", "must not be empty");
    if (text->size() > kMaxCommand) return refuse_value("/command", "is too long");
    request.shell_command.assign(text->data(), text->size());
    return {};
  }
  const auto* list = command.if_array();
  if (list == nullptr) return refuse_field("/command", "must be a string or a list of strings");
  if (list->empty()) return refuse_value("/command", "must not be empty");
  if (list->size() > kMaxArguments) return refuse_value("/command", "has too many arguments");
  std::size_t bytes = 0;
  for (const boost::json::value& item : *list) {
    std::string at = "/command/" + std::to_string(request.argv.size());
    const auto* word = item.if_string();
    if (word == nullptr) return refuse_field(at, "must be a string");
    bytes += word->size();
    if (word->size() > kMaxCommand || bytes > kMaxArgumentBytes) {
      return refuse_value(at, "is too long");
    }
    request.argv.emplace_back(word->data(), word->size());
  }
  return {};
}

// One of the two, or none. `at` is the pointer of the first.
Answer<std::optional<std::string>> one_of(std::optional<std::string> text,
                                          std::optional<std::string> coded, std::string at) {
  if (text && coded) {
    return refuse_field(at + "_b64", "is mutually exclusive with `" + at.substr(1) + "`");
  }
  if (coded) {
    text = codec::from_base64(*coded);
    if (!text) return refuse_value(at + "_b64", "must be base64");
  }
  if (text && text->size() > kMaxStdin) return refuse_value(at, "is too long");
  return text;
}

}  // namespace

Answer<control::CreateRequest> to_request(CreateBody body) {
  ConfigBody config = std::move(body.config).value_or(ConfigBody());
  return create_request(std::move(body), std::move(config), "/config");
}

Answer<control::CreateRequest> to_request(FlatCreateBody body) {
  ConfigBody config = std::move(body.config).value_or(ConfigBody());
  prefer(config.timeout_seconds, body.timeout_seconds);
  prefer(config.idle_timeout_seconds, body.idle_timeout_seconds);
  prefer(config.allow_network, body.allow_network);
  prefer(config.environment, std::move(body.environment));
  prefer(config.resources, body.resources);
  return create_request(std::move(body), std::move(config), "");
}

Answer<control::CreateRequest> session_of(const RunBody& body) {
  CreateBody create{.template_id = body.template_id, .config = body.config, .labels = body.labels};
  return to_request(std::move(create));
}

Answer<control::ChangeRequest> to_request(ChangeBody body) {
  bodies::ChangeConfigBody config = body.config.value_or(bodies::ChangeConfigBody());
  ATOLL_CHECK(check_map(body.labels, "/labels", kMaxLabel));
  ATOLL_TRY(std::optional<std::string> metadata, metadata_text(body.metadata));
  ATOLL_CHECK(check_seconds(config.timeout_seconds, "/config/timeout_seconds"));
  ATOLL_CHECK(check_seconds(config.idle_timeout_seconds, "/config/idle_timeout_seconds"));
  return control::ChangeRequest{.labels = std::move(body.labels),
                                .metadata_json = std::move(metadata),
                                .timeout_seconds = config.timeout_seconds,
                                .idle_timeout_seconds = config.idle_timeout_seconds};
}

Answer<control::ExecuteRequest> to_request(ExecuteBody body) {
  control::ExecuteRequest request;
  if (body.code && body.command) {
    return refuse_field("/command", "is mutually exclusive with `code`");
  }
  if (!body.code && !body.command) return refuse_field("/code", "or a command is required");
  ATOLL_CHECK(check_text(body.code, "/code", kMaxCode));
  ATOLL_CHECK(check_text(body.language, "/language", kMaxName));
  ATOLL_CHECK(check_text(body.context, "/context", kMaxName));
  ATOLL_CHECK(check_text(body.cwd, "/cwd", kMaxPath));
  ATOLL_CHECK(check_text(body.working_dir, "/working_dir", kMaxPath));
  ATOLL_CHECK(check_environment(body.env, "/env"));
  if (body.timeout && (!std::isfinite(*body.timeout) || *body.timeout < 0 ||
                       *body.timeout > static_cast<double>(kMaxSeconds))) {
    return refuse_value("/timeout", "must be a number of seconds; 0 is no limit");
  }
  if (body.max_output_bytes && *body.max_output_bytes > kMaxOutput) {
    return refuse_value("/max_output_bytes", "is too large");
  }
  if (body.command) ATOLL_CHECK(take_command(*body.command, request));
  ATOLL_TRY(request.stdin_data,
            one_of(std::move(body.stdin_), std::move(body.stdin_b64), "/stdin"));
  if (body.cwd && body.working_dir && body.cwd != body.working_dir) {
    return refuse_field("/working_dir", "differs from `cwd`; give one of them");
  }
  prefer(body.working_dir, std::move(body.cwd));
  request.code = std::move(body.code);
  request.language = std::move(body.language).value_or("");
  request.context = std::move(body.context).value_or("");
  request.cwd = std::move(body.working_dir).value_or("");
  request.env = std::move(body.env).value_or(StringMap());
  request.stdin_open = body.stdin_open;
  request.timeout = body.timeout;
  request.max_output_bytes = body.max_output_bytes;
  request.track_files = body.track_files;
  return request;
}

Answer<control::OpenContextRequest> to_request(OpenContextBody body) {
  ATOLL_CHECK(check_text(body.language, "/language", kMaxName));
  ATOLL_CHECK(check_text(body.cwd, "/cwd", kMaxPath));
  ATOLL_CHECK(check_text(body.working_dir, "/working_dir", kMaxPath));
  ATOLL_CHECK(check_environment(body.env, "/env"));
  prefer(body.working_dir, std::move(body.cwd));
  return control::OpenContextRequest{.language = std::move(body.language).value_or(""),
                                     .cwd = std::move(body.working_dir).value_or(""),
                                     .env = std::move(body.env).value_or(StringMap())};
}

Answer<control::Keys::Wish> to_request(CreateKeyBody body) {
  ATOLL_CHECK(check_text(body.tenant, "/tenant", kMaxName));
  ATOLL_CHECK(check_text(body.name, "/name", kMaxName));
  control::Keys::Wish wish;
  if (body.tenant) wish.tenant = std::move(*body.tenant);
  if (body.name) wish.name = std::move(*body.name);
  if (body.role) {
    auto role = role_from_name(std::move(*body.role));
    if (!role)
      return refuse_value("/role", "must be one of owner, admin, approver, user, read-only");
    wish.role = *role;
  }
  return wish;
}

Answer<std::string> to_bytes(StdinBody body) {
  ATOLL_TRY(std::optional<std::string> bytes,
            one_of(std::move(body.data), std::move(body.data_b64), "/data"));
  return std::move(bytes).value_or("");
}

Answer<int> to_signal(const SignalBody& body) {
  static const std::map<std::string_view, int> kNames{
      {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"KILL", SIGKILL},
      {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"STOP", SIGSTOP},
      {"CONT", SIGCONT}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}, {"ABRT", SIGABRT}};
  if (const auto* number = body.signal.if_int64(); number != nullptr) {
    if (*number >= 1 && *number <= 64) return static_cast<int>(*number);
  } else if (const auto* text = body.signal.if_string(); text != nullptr) {
    std::string_view name(text->data(), text->size());
    if (name.starts_with("SIG")) name.remove_prefix(3);
    if (auto found = kNames.find(name); found != kNames.end()) return found->second;
  }
  return refuse_value("/signal", "must be a number from 1 to 64, or a name such as TERM");
}

std::string role_name(model::Role role) {
  std::string name = codec::name_of(role);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::optional<model::Role> role_from_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  for (model::Role role : model::kRoles) {
    if (role_name(role) == name) return role;
  }
  return std::nullopt;
}

}  // namespace atl::api::rest
