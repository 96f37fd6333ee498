#include "api/e2b/views.hpp"

#include <algorithm>
#include <cmath>

#include "api/common/host.hpp"
#include "api/common/text.hpp"
#include "api/e2b/network.hpp"
#include "api/e2b/sandbox_notes.hpp"

namespace atl::api::e2b {

namespace {

std::string state_of(const model::Session& session) {
  return session.state == model::SessionState::kPaused ? "paused" : "running";
}

std::string template_of(const model::Session& session) {
  std::string name = notes_of(session).template_name;
  return name.empty() ? session.template_id : name;
}

// Whose key is gone may be used with another key of the tenant.
std::string token_of(const Call& call, const model::Session& session) {
  bool own = session.key_id.empty() || call.control().keys().is_valid(session.key_id);
  if (own) return call.control().access_tokens().of(session);
  return call.control().keys().session_token(call.caller, session.id);
}

model::Resources resources_of(const Call& call, const model::Session& session) {
  model::Resources all = session.config.resources;
  model::TemplateResources own;
  if (auto origin = call.control().templates().find(session.template_id)) {
    own = (*origin)->spec.resources;
  }
  all.cpu = all.cpu.value_or(own.cpu);
  all.memory = all.memory.value_or(own.memory);
  all.disk = all.disk.value_or(own.disk);
  return all;
}

}  // namespace

std::string domain_of(const E2b& e2b, const http::Request& request) {
  auto host = parse_host(request.headers.get("host"));
  std::string port = host && !host->port.empty() ? ":" + host->port : "";
  const std::string& domain = e2b.options.preview_domain;
  bool local = !host || is_loopback_name(host->name);
  return (domain.empty() || local ? "localhost" : domain) + port;
}

object sandbox_view(const Call& call, const model::Session& session) {
  object view{{"templateID", json_text(template_of(session))},
              {"sandboxID", session.id.str()},
              {"clientID", kClientId},
              {"envdVersion", kEnvdVersion},
              {"domain", domain_of(*call.e2b, call.request())}};
  std::string token = token_of(call, session);
  view["envdAccessToken"] = token;
  view["trafficAccessToken"] = token;
  return view;
}

object listed_view(const Call& call, const model::Session& session) {
  model::Resources resources = resources_of(call, session);
  object metadata;
  for (const auto& [name, text] : session.labels) metadata[json_text(name)] = json_text(text);
  auto end = session.expires_at.value_or(session.created_at +
                                         std::chrono::seconds(session.config.timeout_seconds));
  std::string name = template_of(session);
  return {{"templateID", json_text(name)},
          {"alias", json_text(name)},
          {"sandboxID", session.id.str()},
          {"clientID", kClientId},
          {"startedAt", rfc3339(session.created_at)},
          {"endAt", rfc3339(end)},
          {"cpuCount", std::max(1, static_cast<int>(std::ceil(resources.cpu.value_or(1))))},
          {"memoryMB", resources.memory.value_or(0)},
          {"diskSizeMB", resources.disk.value_or(0)},
          {"metadata", std::move(metadata)},
          {"state", state_of(session)},
          {"envdVersion", kEnvdVersion}};
}

Task<Answer<object>> detail_view(Call call, model::Session session) {
  object view = listed_view(call, session);
  SandboxNotes notes = notes_of(session);
  view["domain"] = domain_of(*call.e2b, call.request());
  if (call.caller.may_write()) view["envdAccessToken"] = token_of(call, session);
  view["lifecycle"] =
      object{{"autoResume", notes.auto_resume}, {"onTimeout", notes.auto_pause ? "pause" : "kill"}};
  auto network = co_await call.control().session_network().get(call.caller, session.id);
  if (network) {  // a session that has just ended has none
    view["allowInternetAccess"] = model::allows_anything(network->policy);
    view["network"] = network_view(network->policy);
  }
  co_return view;
}

}  // namespace atl::api::e2b
