// /v1/sandboxes: create, list, get, end; metadata, pause, resume, renewal, endpoints.
#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/opensandbox/call.hpp"
#include "api/opensandbox/errors.hpp"
#include "api/opensandbox/policy.hpp"
#include "api/opensandbox/sandbox_view.hpp"

namespace atl::api::opensandbox {

namespace {

using model::SessionState;

// Images whose content clients of a code interpreter find in python-default.
constexpr std::string_view kKnownImages[] = {"opensandbox/code-interpreter",
                                             "code-interpreter",
                                             "opensandbox/base",
                                             "opensandbox/sandbox",
                                             "python",
                                             "ubuntu",
                                             "debian",
                                             "node",
                                             "alpine",
                                             "busybox"};

Task<Answer<std::string>> template_of(Call call, Origin origin) {
  if (origin.image.empty()) co_return call.shared->options.default_template;
  ATOLL_CO_TRY(std::string id, template_for(call.shared->options, call.control(), call.caller,
                                            origin.image, kKnownImages));
  co_return id;
}

// Clients of the code interpreter take it for ready when this port takes connections. Interpreters
// start when they are first used here, so nothing else is needed there.
constexpr const char* kProbedPort = R"py(import os, socket
server = socket.create_server(("127.0.0.1", int(os.environ.get("JUPYTER_PORT") or 44771)))
while True:
    server.accept()[0].close()
)py";

// What an OpenSandbox container runs as its first process.
Task<Answer<void>> start_entrypoint(Call call, SessionId id, std::vector<std::string> entrypoint) {
  control::ExecuteRequest request;
  request.timeout = 0;
  if (is_code_interpreter(entrypoint)) {
    request.code = kProbedPort;
    request.language = "python";
  } else if (only_waits(entrypoint)) {
    co_return Answer<void>();
  } else {
    request.argv = std::move(entrypoint);
  }
  ATOLL_CO_CHECK(co_await call.control().executions().execute(call.caller, std::move(id),
                                                              std::move(request), std::nullopt));
  co_return Answer<void>();
}

Task<Answer<http::Response>> create(Call call) {
  ATOLL_CO_TRY(CreateBody body, co_await read_json<CreateBody>(call));
  std::optional<PolicyBody> policy = std::move(body.network_policy);
  ATOLL_CO_TRY(control::CreateRequest request, to_request(std::move(body)));
  if (policy) {
    ATOLL_CO_TRY(request.config.network, to_network(std::move(*policy), "/networkPolicy"));
  }
  if (!request.config.timeout_seconds) {  // as long as may be
    request.config.timeout_seconds = call.control().session_maker().limits().max_timeout_seconds;
  }
  Origin origin = origin_of({.metadata_json = request.metadata_json});
  ATOLL_CO_TRY(request.template_id, co_await template_of(call, origin));
  request.wait = control::kCreateWait;
  ATOLL_CO_TRY(control::SessionMaker::Created created,
               co_await call.control().session_maker().create(call.caller, std::move(request)));
  Answer<void> started =
      co_await start_entrypoint(call, created.value.id, std::move(origin.entrypoint));
  if (!started) {  // nobody is told of it
    (void)co_await call.control().session_ender().remove(call.caller, created.value.id);
    co_return std::unexpected(std::move(started).error());
  }
  http::Response response = json_response(202, created_view(created.value));
  response.headers.add("Location", "/v1/sandboxes/" + created.value.id.str());
  co_return response;
}

// A sandbox that has ended by DELETE or expiry is gone; one that failed is shown until then.
Task<Answer<model::Session>> find(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.session_id()));
  if (row.state == SessionState::kTerminated || row.state == SessionState::kCompleted) {
    co_return refuse(Code::kSessionNotFound, "there is no sandbox " + row.id.str());
  }
  co_return row;
}

Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await find(call));
  co_return json_response(200, sandbox_view(row));
}

Task<Answer<http::Response>> list(Call call) {
  ATOLL_CO_TRY(std::uint64_t page, query_number(call, "page", 1, 1, 1'000'000));
  ATOLL_CO_TRY(std::uint64_t size, query_number(call, "pageSize", 20, 1, 200));
  model::SessionFilter filter;
  bool any_state = true;
  for (const auto& [name, value] : call.request().query) {
    if (name == "metadata") {
      ATOLL_CO_TRY(StringMap labels, parse_metadata_filter(value));
      filter.labels.merge(labels);
    } else if (name == "state") {
      any_state = false;
      for (SessionState state : states_named(value)) filter.states.push_back(state);
    }
  }
  boost::json::array items;
  std::uint64_t total = 0;
  if (any_state) {
    filter.states = {SessionState::kCreating, SessionState::kReady, SessionState::kRunning,
                     SessionState::kPaused, SessionState::kFailed};
  }
  if (!filter.states.empty()) {
    ATOLL_CO_TRY(control::NumberedPage found, co_await call.control().sessions().list_page(
                                                  call.caller, std::move(filter), page, size));
    for (const model::Session& row : found.rows) items.push_back(sandbox_view(row));
    total = found.total;
  }
  co_return json_response(
      200, object{{"items", std::move(items)}, {"pagination", pagination(page, size, total)}});
}

Task<Answer<http::Response>> remove(Call call) {
  ATOLL_CO_CHECK(co_await find(call));
  ATOLL_CO_CHECK(co_await call.control().session_ender().remove(call.caller, call.session_id()));
  co_return empty_response(204);
}

// A merge patch of the metadata: null takes a member away.
Task<Answer<http::Response>> patch_metadata(Call call) {
  using Patch = std::map<std::string, std::optional<std::string>>;
  ATOLL_CO_TRY(Patch patch, co_await read_json<Patch>(call));
  StringMap added;
  for (const auto& [name, value] : patch) {
    if (value) added[name] = *value;
  }
  ATOLL_CO_CHECK(check_metadata(added));
  ATOLL_CO_CHECK(co_await find(call));
  control::ChangeRequest change;
  change.label_changes = std::move(patch);
  ATOLL_CO_TRY(model::Session row, co_await call.control().session_changes().change(
                                       call.caller, call.session_id(), std::move(change)));
  co_return json_response(200, sandbox_view(row));
}

Task<Answer<http::Response>> pause(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await find(call));
  if (row.state == SessionState::kPaused) {
    co_return refuse(Code::kConflict, "the sandbox is paused already");
  }
  ATOLL_CO_CHECK(co_await call.control().session_changes().pause(call.caller, call.session_id()));
  co_return empty_response(202);
}

Task<Answer<http::Response>> resume(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await find(call));
  if (row.state != SessionState::kPaused) {
    co_return refuse(Code::kConflict, "the sandbox is not paused");
  }
  ATOLL_CO_CHECK(co_await call.control().session_changes().resume(call.caller, call.session_id()));
  co_return empty_response(202);
}

Task<Answer<http::Response>> renew(Call call) {
  ATOLL_CO_TRY(RenewBody body, co_await read_json<RenewBody>(call));
  std::optional<model::Time> until = from_rfc3339(body.expires_at);
  if (!until) co_return refuse_value("/expiresAt", "must be a time as in 2026-01-02T03:04:05Z");
  ATOLL_CO_CHECK(co_await find(call));
  auto now = call.control().clock().now();
  if (*until <= now) co_return refuse_value("/expiresAt", "must be in the future");
  // Both are times of four-digit years, so their difference fits.
  auto left = (*until - now).count();
  auto seconds = static_cast<std::uint64_t>(left / 1000 + (left % 1000 == 0 ? 0 : 1));
  ATOLL_CO_TRY(model::Session row, co_await call.control().session_changes().renew(
                                       call.caller, call.session_id(), seconds));
  co_return json_response(200, object{{"expiresAt", rfc3339(row.expires_at.value_or(*until))}});
}

// Every port is reached through this server, so that nothing but its own address must be known.
Task<Answer<http::Response>> endpoint(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  ATOLL_CO_TRY([[maybe_unused]] bool proxied, query_flag(call, "use_server_proxy"));
  if (call.request().find_query("expires")) {
    co_return refuse(Code::kInvalidArgument,
                     "signed endpoints are not supported; send the headers of the endpoint");
  }
  ATOLL_CO_CHECK(co_await find(call));
  object view{{"endpoint", std::string(call.request().headers.get("host")) + "/sandboxes/" +
                               call.session_id().str() + "/proxy/" + std::to_string(port)}};
  std::string token = call.control().keys().session_token(call.caller, call.session_id());
  if (!token.empty()) view["headers"] = object{{kTokenField, token}};
  co_return json_response(200, view);
}

}  // namespace

void add_lifecycle(Routes& routes) {
  routes.lifecycle(Method::kPost, "/sandboxes", "create", Access::kWriter, create);
  routes.lifecycle(Method::kGet, "/sandboxes", "list", Access::kReader, list);
  routes.lifecycle(Method::kGet, "/sandboxes/{id}", "get", Access::kReader, get);
  routes.lifecycle(Method::kDelete, "/sandboxes/{id}", "delete", Access::kWriter, remove);
  routes.lifecycle(Method::kPatch, "/sandboxes/{id}/metadata", "patch_metadata", Access::kWriter,
                   patch_metadata);
  routes.lifecycle(Method::kPost, "/sandboxes/{id}/pause", "pause", Access::kWriter, pause);
  routes.lifecycle(Method::kPost, "/sandboxes/{id}/resume", "resume", Access::kWriter, resume);
  routes.lifecycle(Method::kPost, "/sandboxes/{id}/renew-expiration", "renew", Access::kWriter,
                   renew);
  routes.lifecycle(Method::kGet, "/sandboxes/{id}/endpoints/{port}", "endpoint", Access::kReader,
                   endpoint);
}

}  // namespace atl::api::opensandbox
