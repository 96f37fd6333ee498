#include "api/rest/session_body.hpp"

#include <cmath>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/network_bodies.hpp"
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
  std::optional<control::NetworkRequest> network;
  if (body.network) {
    ATOLL_TRY(network, to_request(std::move(*body.network), at + "/network"));
  }
  return control::ConfigRequest{
      .timeout_seconds = body.timeout_seconds,
      .idle_timeout_seconds = body.idle_timeout_seconds,
      .allow_network = body.allow_network,
      .network = std::move(network),
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

int status_of(model::MadeState state, bool waited) {
  if (state == model::MadeState::kFound) return 200;
  return waited && state == model::MadeState::kDone ? 201 : 202;
}

}  // namespace

Answer<control::CreateRequest> to_request(CreateBody body) {
  ConfigBody config = std::move(body.config).value_or(ConfigBody());
  return create_request(std::move(body), std::move(config), "/config");
}

Answer<control::CreateRequest> to_request(FlatCreateBody body) {
  ConfigBody config = std::move(body.config).value_or(ConfigBody());
  take_given(config.timeout_seconds, body.timeout_seconds);
  take_given(config.idle_timeout_seconds, body.idle_timeout_seconds);
  take_given(config.allow_network, body.allow_network);
  take_given(config.network, std::move(body.network));
  take_given(config.environment, std::move(body.environment));
  take_given(config.resources, body.resources);
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

bodies::SessionBody session_view(const model::Session& session) {
  const model::SessionConfig& config = session.config;
  bodies::SessionBody view{
      .id = session.id.str(),
      .session_id = session.id.str(),
      .session_key = text_or_null(session.session_key),
      .template_id = session.template_id,
      .runtime_node = session.runtime_node,
      .backend = session.backend,
      .status = session.state,
      .workspace = session.workspace,
      .config = {.timeout_seconds = config.timeout_seconds,
                 .idle_timeout_seconds = config.idle_timeout_seconds,
                 .allow_network = config.allow_network,
                 .network = {},
                 .environment = config.environment,
                 .resources = config.resources},
      .labels = session.labels,
      .metadata = parsed_or_null(session.metadata_json),
      .isolation = {.layers = session.isolation_layers, .missing = session.isolation_missing},
      .created_at = rfc3339(session.created_at),
      .updated_at = rfc3339(session.updated_at),
      .expires_at = time_or_null(session.expires_at),
      .ended_at = time_or_null(session.ended_at),
      .error = {},
      .workspace_error = {}};
  if (config.network) view.config.network = policy_view(*config.network);
  if (!session.error_code.empty()) {
    // The error of a session that has not failed: its files could not be copied to the host.
    bool has_failed = session.state == model::SessionState::kFailed;
    (has_failed ? view.error : view.workspace_error) = {.code = session.error_code,
                                                        .message = session.error_message};
  }
  return view;
}

Task<Answer<http::Response>> create_session(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(CreateBody body, decode_body<CreateBody>(text));
  ATOLL_CO_TRY(control::CreateRequest request, to_request(std::move(body)));
  co_return co_await create_session_as_asked(call, std::move(request), std::move(text),
                                             parse_prefer(call.request().headers));
}

Task<Answer<http::Response>> create_session_as_asked(Call call, control::CreateRequest request,
                                                     std::string text, Prefer prefer) {
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  if (prefer.wait) request.wait = prefer.seconds.value_or(control::kCreateWait);
  ATOLL_CO_TRY(control::SessionMaker::Created created,
               co_await call.control().session_maker().create(call.caller, std::move(request),
                                                              std::move(once)));
  http::Response response =
      json_response(status_of(created.state, prefer.wait), session_view(created.value));
  response.headers.add("Location", "/api/v1/sessions/" + created.value.id.str());
  if (prefer.wait) response.headers.add("Preference-Applied", "wait");
  co_return mark_replayed(std::move(response), created.replayed);
}

}  // namespace atl::api::rest
