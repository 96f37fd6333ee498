// How endpoints come into the router, and the groups of them: one file each.
#pragma once

#include <string_view>

#include "api/rest/call.hpp"
#include "http/router.hpp"

namespace atl::api::rest {

using http::Access;

// An endpoint either returns its whole answer, or writes it as it comes.
using Plain = Task<Answer<http::Response>> (*)(Call call);
using Streaming = Task<Answer<void>> (*)(Call call);

class Routes {
 public:
  Routes(http::Router& router, RestPtr rest) : router_(router), rest_(std::move(rest)) {}

  // `path` is below /api/v1.
  void add(http::Method method, std::string_view path, std::string_view operation, Access access,
           Plain plain);
  void add(http::Method method, std::string_view path, std::string_view operation, Access access,
           Streaming streaming);
  // `path` is the whole of it.
  void add_bare(http::Method method, std::string_view path, std::string_view operation,
                Access access, Plain plain);
  void add_bare(http::Method method, std::string_view path, std::string_view operation,
                Access access, Streaming streaming);
  // For what has no path of its own.
  http::Handler handler(Streaming streaming) const;

 private:
  http::Router& router_;
  RestPtr rest_;
};

void add_sessions(Routes& routes);
void add_executions(Routes& routes);
void add_execution_log(Routes& routes);
void add_diagnostics(Routes& routes);
void add_run(Routes& routes);
void add_tests(Routes& routes);
void add_contexts(Routes& routes);
void add_terminal(Routes& routes);
void add_files(Routes& routes);
void add_proxy(Routes& routes);
void add_preview_tokens(Routes& routes);
void add_session_network(Routes& routes);
void add_snapshots(Routes& routes);
void add_templates(Routes& routes);
void add_secrets(Routes& routes);
void add_runtimes(Routes& routes);
void add_keys(Routes& routes);
void add_tenants(Routes& routes);
void add_audit(Routes& routes);
void add_policy(Routes& routes);
void add_approvals(Routes& routes);
void add_server(Routes& routes);
void add_aliases(Routes& routes);
void add_documents(Routes& routes);

// A request to a preview host that its gate let through; captures are id and port.
Task<Answer<void>> show_preview(Call call);

}  // namespace atl::api::rest
