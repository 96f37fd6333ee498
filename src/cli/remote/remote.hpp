// What each command that talks to a server has at hand, and what it is. Internal to cli/remote.
#pragma once

#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "cli/remote/options.hpp"
#include "client/api.hpp"
#include "codec/json.hpp"

namespace atl::cli {

struct Remote {
  async::Executor executor;
  const RemoteOptions& options;
  client::Api api;
  SystemClock clock = {};
};

// Exit status, or Atoll's own failure.
using RemoteTask = async::Task<Result<int>>;

RemoteTask create_session(Remote* remote);
RemoteTask list_sessions(Remote* remote);
RemoteTask execute(Remote* remote);
RemoteTask open_shell(Remote* remote);
RemoteTask copy_files(Remote* remote);
RemoteTask show_logs(Remote* remote);
RemoteTask remove_sessions(Remote* remote);
RemoteTask manage_templates(Remote* remote);
RemoteTask manage_secrets(Remote* remote);
RemoteTask manage_network(Remote* remote);
RemoteTask manage_approvals(Remote* remote);
RemoteTask test_code(Remote* remote);
RemoteTask manage_tenants(Remote* remote);
RemoteTask manage_audit(Remote* remote);

// stdout wants -o json or yaml: prints the document so.
bool wants_document(const Remote& remote);
int show_document(const Remote& remote, const boost::json::value& document);
template <typename Body>
  requires(boost::describe::has_describe_members<Body>::value)
int show_document(const Remote& remote, const Body& body) {
  return show_document(remote, codec::to_json(body));
}

// Of -e; a bare K that is not set here is left out.
bodies::StringMap environment_of(const RemoteOptions& options);
// Of --label.
bodies::StringMap labels_of(const RemoteOptions& options);

}  // namespace atl::cli
