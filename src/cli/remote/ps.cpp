#include <unistd.h>

#include <string>

#include "cli/core/small_commands.hpp"
#include "cli/remote/remote.hpp"
#include "cli/remote/session_table.hpp"

namespace atl::cli {

RemoteTask list_sessions(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (!options.words.empty()) {
    co_return fail(Code::kInvalidArgument,
                   "ps takes options; atoll logs and others take a session");
  }
  if (options.limit == 0) co_return fail(Code::kInvalidArgument, "--limit 0: must be 1 or more");
  client::SessionFilter filter{
      .states = options.states, .template_id = options.template_id, .labels = options.labels};
  if (filter.states.empty() && !options.all) {
    filter.states = {"creating", "ready", "running", "paused"};
  }
  ATOLL_CO_TRY(bodies::SessionListBody body,
               co_await remote->api.list_sessions(std::move(filter), options.limit));
  if (options.quiet) {
    std::string text;
    for (const bodies::SessionBody& session : body.sessions) text += session.id + "\n";
    co_return show(text);
  }
  if (wants_document(*remote)) co_return show_document(*remote, body);
  show(sessions_text(body.sessions, remote->clock.wall(), use_color(options.color, STDOUT_FILENO)));
  if (body.next_cursor) {
    print_warning("there are more; --limit shows more of them", options.color);
  }
  co_return 0;
}

}  // namespace atl::cli
