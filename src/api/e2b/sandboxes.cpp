// Making, finding and listing sandboxes: both generations of paths are the same here.
#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/network.hpp"
#include "api/e2b/sandbox_notes.hpp"
#include "api/e2b/views.hpp"
#include "codec/sha256.hpp"
#include "control/requests.hpp"
#include "http/uri.hpp"

namespace atl::api::e2b {

namespace {

constexpr std::uint64_t kDefaultTimeout = 300;
constexpr std::size_t kListed = 100;
// The names that E2B's SDKs send by default.
constexpr std::string_view kKnownTemplates[] = {"base", "code-interpreter-v1", "code-interpreter",
                                                "mcp-gateway"};

Answer<void> check_supported(const object& body) {
  for (std::string_view name : {"mcp", "iam", "volumeMounts"}) {
    const value* found = body.if_contains(name);
    bool empty = found == nullptr || found->is_null() ||
                 (found->is_array() && found->get_array().empty()) ||
                 (found->is_object() && found->get_object().empty());
    if (!empty) {
      return refuse(501, "not_implemented", std::string(name) + " is not supported by this server");
    }
  }
  return {};
}

// A template by any of its names, or the id of a snapshot.
Task<Answer<void>> take_template(Call call, std::string name, control::CreateRequest* request) {
  if (name.empty()) name = "base";
  Result<std::string> found =
      template_for(call.e2b->options.common, call.control(), call.caller, name, kKnownTemplates);
  if (found) {
    request->template_id = std::move(*found);
    co_return Answer<void>();
  }
  auto snapshot = co_await call.control().snapshots().get(call.caller, name);
  if (!snapshot) {
    std::string shown = name.substr(0, 200);
    co_return refuse(Code::kNotFound, "template '" + shown + "' not found");
  }
  request->snapshot_id = snapshot->id;
  auto origin = co_await call.control().sessions().get(call.caller, snapshot->session_id);
  request->template_id = origin ? origin->template_id : call.e2b->options.common.default_template;
  co_return Answer<void>();
}

Answer<SandboxNotes> take_lifecycle(const object& body) {
  SandboxNotes notes;
  ATOLL_TRY(std::optional<bool> pause, flag_member(body, "autoPause"));
  notes.auto_pause = pause.value_or(false);
  if (const object* resume = object_member(body, "autoResume")) {
    ATOLL_TRY(std::optional<bool> enabled, flag_member(*resume, "enabled"));
    notes.auto_resume = enabled.value_or(false);
  }
  return notes;
}

Task<Answer<control::Once>> begin_once(Call call, const object* body) {
  auto key = call.request().headers.find("idempotency-key");
  if (!key) co_return control::Once();
  if (key->empty() || key->size() > kMaxIdempotencyKey) {
    co_return refuse(Code::kInvalidArgument, "Idempotency-Key must have 1 to 255 characters");
  }
  std::string fingerprint = codec::sha256_hex(call.request().path + "\n" + codec::serialize(*body));
  auto begun = co_await call.control().idempotency().begin(
      call.caller, {.key = std::string(*key), .fingerprint = std::move(fingerprint)});
  if (!begun) co_return std::unexpected<Refusal>(std::move(begun).error());
  co_return std::move(*begun);
}

Task<Answer<http::Response>> create(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_CHECK(check_supported(body));
  control::CreateRequest request;
  ATOLL_CO_TRY(std::optional<std::string> name, text_member(body, "templateID", kMaxName));
  ATOLL_CO_TRY(std::optional<std::uint64_t> timeout,
               number_member(body, "timeout", 1, kMaxSeconds));
  ATOLL_CO_TRY(request.labels, map_member(body, "metadata"));
  ATOLL_CO_TRY(request.config.environment, map_member(body, "envVars"));
  ATOLL_CO_TRY(SandboxNotes notes, take_lifecycle(body));
  ATOLL_CO_TRY(notes.allow_internet, flag_member(body, "allow_internet_access"));
  ATOLL_CO_TRY(request.config.network,
               network_of(object_member(body, "network"), notes.allow_internet));
  ATOLL_CO_CHECK(co_await take_template(call, name.value_or(""), &request));
  request.config.timeout_seconds = timeout.value_or(kDefaultTimeout);
  request.config.pause_on_timeout = notes.auto_pause;
  notes.template_name = name.value_or("base");
  request.metadata_json = to_metadata(notes);
  request.wait = control::kCreateWait;
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, &body));
  ATOLL_CO_TRY(control::SessionMaker::Created created,
               co_await call.control().session_maker().create(call.caller, std::move(request),
                                                              std::move(once)));
  co_return json_response(201, sandbox_view(call, created.value));
}

// Clients encode names and values, and then the query that they make of them.
std::optional<std::string> decoded_twice(std::string_view text) {
  auto once = http::percent_decode(text, true);
  return once ? http::percent_decode(*once) : std::nullopt;
}

// A query of its own: "user=a%2520b&app=x".
Answer<StringMap> metadata_of(std::string_view text) {
  StringMap wanted;
  if (text.empty()) return wanted;
  for (std::string_view one : split(text, '&')) {
    std::size_t equals = one.find('=');
    auto name = decoded_twice(one.substr(0, equals));
    auto wants = decoded_twice(equals == one.npos ? std::string_view() : one.substr(equals + 1));
    if (!name || !wants || name->empty()) {
      return refuse(Code::kInvalidArgument, "metadata must be NAME=VALUE pairs");
    }
    wanted[*name] = *wants;
  }
  return wanted;
}

struct Wanted {
  model::SessionFilter filter;
  std::string template_name;
  std::optional<model::Time> started_after;
  std::size_t limit = kListed;
  std::string after;

  bool takes(const model::Session& row) const {
    if (model::is_final(row.state)) return false;
    if (started_after && row.created_at <= *started_after) return false;
    return template_name.empty() || row.template_id == template_name ||
           notes_of(row).template_name == template_name;
  }
};

Answer<Wanted> wanted_of(const http::Request& request, bool only_running) {
  Wanted wanted;
  bool running = true, paused = !only_running;
  if (auto states = request.find_query("state"); states && !states->empty()) {
    running = paused = false;
    for (std::string_view state : split(*states, ',')) {
      if (state != "running" && state != "paused") {
        return refuse(Code::kInvalidArgument, "state must be running or paused");
      }
      (state == "running" ? running : paused) = true;
    }
  }
  using State = model::SessionState;
  if (running) wanted.filter.states = {State::kCreating, State::kReady, State::kRunning};
  if (paused) wanted.filter.states.push_back(State::kPaused);
  ATOLL_TRY(wanted.filter.labels, metadata_of(request.query_value("metadata")));
  wanted.template_name = request.query_value("template");
  if (auto after = request.find_query("startedAfter"); after && !after->empty()) {
    wanted.started_after = from_rfc3339(*after);
    if (!wanted.started_after) return refuse(Code::kInvalidArgument, "startedAfter must be a time");
  }
  if (auto limit = request.find_query("limit"); limit && !limit->empty()) {
    auto number = to_number(*limit);
    if (!number || *number == 0)
      return refuse(Code::kInvalidArgument, "limit must be from 1 to 100");
    wanted.limit = std::min<std::uint64_t>(*number, kListed);
  }
  wanted.after = request.query_value("nextToken");
  if (wanted.after.size() > kMaxName) return refuse(Code::kInvalidArgument, "nextToken is unknown");
  if (auto order = request.find_query("order"); order && *order != "desc" && !order->empty()) {
    return refuse(501, "not_implemented", "sandboxes are listed newest first: order=desc");
  }
  return wanted;
}

Task<Answer<http::Response>> list(Call call, bool only_running) {
  ATOLL_CO_TRY(Wanted wanted, wanted_of(call.request(), only_running));
  array listed;
  std::string next;
  model::Page page{.after = wanted.after, .limit = wanted.limit + 1};
  for (bool more = true; more;) {
    ATOLL_CO_TRY(std::vector<model::Session> rows,
                 co_await call.control().sessions().list(call.caller, wanted.filter, page));
    more = rows.size() == page.limit;
    for (const model::Session& row : rows) {
      if (wanted.takes(row)) {
        if (listed.size() == wanted.limit) {
          next = page.after;
          more = false;
          break;
        }
        listed.push_back(listed_view(call, row));
      }
      page.after = row.id.str();
    }
  }
  http::Response response = json_response(200, std::move(listed));
  if (!next.empty()) response.headers.add("X-Next-Token", next);
  co_return response;
}

Task<Answer<http::Response>> list_all(Call call) { return list(std::move(call), false); }
Task<Answer<http::Response>> list_running(Call call) { return list(std::move(call), true); }

// Ended ones are not there any more.
Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_TRY(model::Session row, co_await call.control().sessions().get(
                                       call.caller, SessionId(call.request().capture("id"))));
  if (model::is_final(row.state)) {
    co_return refuse(Code::kNotFound, "sandbox \"" + row.id.str() + "\" does not exist any more");
  }
  ATOLL_CO_TRY(object view, co_await detail_view(call, std::move(row)));
  co_return json_response(200, view);
}

}  // namespace

void add_sandboxes(Routes& routes) {
  for (std::string prefix : {"", "/v2"}) {
    routes.add(Method::kPost, prefix + "/sandboxes", "e2bCreateSandbox", Access::kWriter, create);
    routes.add(Method::kGet, prefix + "/sandboxes/{id}", "e2bGetSandbox", Access::kReader, get);
  }
  routes.add(Method::kGet, "/sandboxes", "e2bListRunning", Access::kReader, list_running);
  routes.add(Method::kGet, "/v2/sandboxes", "e2bListSandboxes", Access::kReader, list_all);
}

}  // namespace atl::api::e2b
