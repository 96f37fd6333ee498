#include "api/rest/rest.hpp"

#include "api/common/middleware.hpp"
#include "api/rest/approval_webhook.hpp"
#include "api/rest/figures.hpp"
#include "api/rest/routes.hpp"
#include "base/fault.hpp"

namespace atl::api::rest {

namespace {

// What failed because the session was ended meanwhile says so.
Task<void> find_reason(RestPtr rest, http::Exchange* exchange, Refusal* refusal) {
  Code code = refusal->error.code();
  SessionId id(exchange->request().capture("id"));
  if ((code != Code::kBackend && code != Code::kCancelled) || id.empty()) co_return;
  Result<void> alive =
      co_await rest->control.sessions().check_alive(caller_of(*exchange), std::move(id));
  if (!alive && alive.error().code() == Code::kConflict) *refusal = alive.error();
}

Task<void> refuse_with(RestPtr rest, http::Exchange* exchange, Refusal refusal) {
  if (exchange->answered()) co_return;  // begun and not finished: the connection is cut
  co_await find_reason(std::move(rest), exchange, &refusal);
  if (exchange->client_stalled() && refusal.error.code() == Code::kTransferTimeout) {
    refusal = Refusal(408, std::string(code_name(Code::kTransferTimeout)),
                      "the rest of the request did not come in time");
  }
  (void)co_await exchange->respond(refusal.response(exchange->request().id));
}

Task<void> run_plain(Plain plain, Call call) {
  RestPtr rest = call.rest;
  http::Exchange* exchange = call.exchange;
  Answer<http::Response> answer = co_await plain(std::move(call));
  if (answer) {
    fault::here("answer.ready");
    (void)co_await exchange->respond(std::move(*answer));
    fault::here("answer.sent");
  } else {
    co_await refuse_with(std::move(rest), exchange, std::move(answer).error());
  }
}

Task<void> run_streaming(Streaming streaming, Call call) {
  RestPtr rest = call.rest;
  http::Exchange* exchange = call.exchange;
  Answer<void> answer = co_await streaming(std::move(call));
  if (!answer) co_await refuse_with(std::move(rest), exchange, std::move(answer).error());
}

}  // namespace

void Routes::add_bare(http::Method method, std::string_view path, std::string_view operation,
                      Access access, Plain plain) {
  auto handler = [rest = rest_, plain](http::Exchange& exchange) {
    return run_plain(plain, Call{rest, &exchange, caller_of(exchange)});
  };
  router_.add(method, path, handler, {.name = std::string(operation), .access = access});
}

void Routes::add_bare(http::Method method, std::string_view path, std::string_view operation,
                      Access access, Streaming streaming) {
  router_.add(method, path, handler(streaming), {.name = std::string(operation), .access = access});
}

http::Handler Routes::handler(Streaming streaming) const {
  return [rest = rest_, streaming](http::Exchange& exchange) {
    return run_streaming(streaming, Call{rest, &exchange, caller_of(exchange)});
  };
}

void Routes::add(http::Method method, std::string_view path, std::string_view operation,
                 Access access, Plain plain) {
  add_bare(method, "/api/v1" + std::string(path), operation, access, plain);
}

void Routes::add(http::Method method, std::string_view path, std::string_view operation,
                 Access access, Streaming streaming) {
  add_bare(method, "/api/v1" + std::string(path), operation, access, streaming);
}

http::Handler add_rest_routes(http::Router& router, control::Control& control,
                              const RestOptions& options) {
  auto rest = std::make_shared<Rest>(control, options);
  rest->tasks.spawn(follow_events(&rest->control, &rest->metrics));
  start_approval_webhook(rest->tasks, {.executor = options.executor,
                                       .control = &control,
                                       .metrics = &rest->metrics,
                                       .options = options.approvals,
                                       .version = options.version});
  Routes routes(router, rest);
  add_sessions(routes);
  add_executions(routes);
  add_execution_log(routes);
  add_diagnostics(routes);
  add_run(routes);
  add_tests(routes);
  add_contexts(routes);
  add_terminal(routes);
  add_files(routes);
  add_proxy(routes);
  add_preview_tokens(routes);
  add_session_network(routes);
  add_snapshots(routes);
  add_templates(routes);
  add_secrets(routes);
  add_runtimes(routes);
  add_keys(routes);
  add_tenants(routes);
  add_audit(routes);
  add_policy(routes);
  add_approvals(routes);
  add_server(routes);
  add_aliases(routes);
  add_documents(routes);
  return routes.handler(show_preview);
}

}  // namespace atl::api::rest
