// A server's REST API (docs/api.md) as functions, with the bodies that the server itself uses.
// Members that this version does not know are ignored; refusals come as Errors with the server's
// code and sentence. One I/O thread; any number of calls at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "bodies/execution.hpp"
#include "bodies/network.hpp"
#include "bodies/policy.hpp"
#include "bodies/server.hpp"
#include "bodies/session.hpp"
#include "bodies/template.hpp"
#include "bodies/tenant.hpp"
#include "bodies/test.hpp"
#include "http/client.hpp"

namespace atl::client {

using async::Task;

struct Address {
  std::string url = "http://127.0.0.1:8080";  // or https://…, unix:///path
  std::string key = {};                       // empty: none is sent
  std::string ca_file = {};                   // https: instead of the system's
};

struct SessionFilter {
  std::vector<std::string> states = {};  // empty: any
  std::string template_id = {};
  std::vector<std::string> labels = {};  // NAME=VALUE
};

class Api {
 public:
  Api(async::Executor executor, Address address);

  // Newest first. Pages are joined; next_cursor says where the rest begins.
  Task<Result<bodies::SessionListBody>> list_sessions(SessionFilter filter, std::size_t most);
  // Waits until it is ready when `wait`. 201 or 202, the same body.
  Task<Result<bodies::SessionBody>> create_session(bodies::CreateBody body, bool wait);
  Task<Result<bodies::SessionBody>> get_session(SessionId id);
  Task<Result<void>> delete_session(SessionId id);

  // Starts it and does not wait.
  Task<Result<bodies::ExecutionBody>> execute(SessionId id, bodies::ExecuteBody body);
  // Waits for the verdicts.
  Task<Result<bodies::TestResultBody>> test_code(SessionId id, bodies::TestBody body);
  Task<Result<bodies::ExecutionBody>> get_execution(ExecutionId id);
  // Newest first, without output.
  Task<Result<bodies::ExecutionListBody>> list_results(SessionId id, std::size_t most);
  // Interrupts, then kills what does not listen; some seconds at most.
  Task<Result<void>> cancel_execution(ExecutionId id);
  // Waits until the program takes it.
  Task<Result<void>> write_stdin(ExecutionId id, std::string bytes, bool close);

  Task<Result<bodies::TemplateListBody>> list_templates();
  Task<Result<bodies::TemplateBody>> get_template(std::string id);
  // The text is a person's own document: the server says what is wrong with it.
  Task<Result<bodies::TemplateBody>> create_template(std::string json);
  Task<Result<bodies::TemplateBody>> replace_template(std::string id, std::string json);
  Task<Result<void>> delete_template(std::string id);

  Task<Result<bodies::TenantBody>> get_tenant(std::string id);
  Task<Result<bodies::TenantBody>> put_tenant(std::string id, model::TenantQuotas quotas);

  // Newest first, at most 200; an empty session is any.
  Task<Result<bodies::AuditListBody>> list_audit(std::string session, std::uint64_t most);
  // Oldest first, behind `after`, at most 1000.
  Task<Result<bodies::AuditChainBody>> list_audit_chain(std::string chain, std::int64_t after);
  Task<Result<bodies::AuditVerdictBody>> verify_audit();

  Task<Result<bodies::SecretListBody>> list_secrets();
  Task<Result<bodies::SecretBody>> put_secret(std::string name, bodies::PutSecretBody body);
  Task<Result<void>> delete_secret(std::string name);

  // The newest, at most `most` of them.
  Task<Result<bodies::ApprovalListBody>> list_approvals(std::string state, std::size_t most);
  Task<Result<bodies::ApprovalBody>> get_approval(std::string id);
  Task<Result<bodies::ApprovalBody>> decide_approval(std::string id,
                                                     bodies::DecideApprovalBody body);

  Task<Result<bodies::SessionNetworkBody>> get_network(SessionId id);
  // The text is a person's own document, as with templates.
  Task<Result<bodies::SessionNetworkBody>> replace_network(SessionId id, std::string json);

  // Any request; its target is below /api/v1. An answer that is no success is an Error.
  Task<Result<http::ClientResponse>> open(http::ClientRequest request);
  Task<Result<std::unique_ptr<http::WebSocket>>> websocket(std::string target);

 private:
  Task<Result<std::string>> read(http::ClientRequest request);
  template <typename Body>
  Task<Result<Body>> call(http::ClientRequest request);

  Address address_;
  http::Client client_;
};

// "/sessions/ID" + `tail`, encoded.
std::string session_path(const SessionId& id, std::string_view tail = {});
std::string execution_path(const ExecutionId& id, std::string_view tail = {});

}  // namespace atl::client
