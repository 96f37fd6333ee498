#include <unistd.h>

#include <vector>

#include "base/write_all.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/remote/remote.hpp"
#include "cli/remote/report.hpp"
#include "cli/remote/session_table.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

constexpr std::size_t kMost = 100'000;

// One letter and Enter at the terminal; anything but y is no.
bool agrees(const std::string& question) {
  write_all(STDERR_FILENO, question + " [y/N] ");
  char answer = 0;
  ssize_t got = ::read(STDIN_FILENO, &answer, 1);
  return got == 1 && (answer == 'y' || answer == 'Y');
}

async::Task<Result<std::vector<std::string>>> all_that_live(Remote* remote) {
  const RemoteOptions& options = remote->options;
  client::SessionFilter filter{.states = {"creating", "ready", "running", "paused"},
                               .template_id = options.template_id,
                               .labels = options.labels};
  ATOLL_CO_TRY(bodies::SessionListBody body,
               co_await remote->api.list_sessions(std::move(filter), kMost));
  std::vector<std::string> ids;
  for (const bodies::SessionBody& session : body.sessions) ids.push_back(session.id);
  if (ids.empty() || options.yes) co_return ids;
  if (::isatty(STDIN_FILENO) != 1) {
    co_return fail(Code::kInvalidArgument, "rm --all: say --yes where nobody can be asked");
  }
  std::string count = std::to_string(ids.size()) + (ids.size() == 1 ? " session" : " sessions");
  if (!agrees("Remove " + count + "?")) co_return fail(Code::kCancelled, "nothing was removed");
  co_return ids;
}

async::Task<Result<void>> remove_one(Remote* remote, std::string typed) {
  ATOLL_CO_TRY(SessionId id, co_await client::find_session(&remote->api, std::move(typed)));
  ATOLL_CO_CHECK(co_await remote->api.delete_session(id));
  show(id.str() + "\n");
  co_return Result<void>();
}

}  // namespace

RemoteTask remove_sessions(Remote* remote) {
  const RemoteOptions& options = remote->options;
  std::vector<std::string> ids = options.words;
  if (options.all && !ids.empty()) {
    co_return fail(Code::kInvalidArgument, "rm: name sessions, or say --all, but not both");
  }
  if (!options.all && ids.empty()) {
    co_return fail(Code::kInvalidArgument, "rm: name the sessions to remove, or say --all");
  }
  if (!options.all && (!options.labels.empty() || !options.template_id.empty())) {
    co_return fail(Code::kInvalidArgument, "rm: --label and --template belong to --all");
  }
  if (options.all) {
    ATOLL_CO_TRY(ids, co_await all_that_live(remote));
  }
  // One that cannot be removed does not keep the others.
  Result<int> status = 0;
  for (const std::string& id : ids) {
    Result<void> removed = co_await remove_one(remote, id);
    if (removed) continue;
    if (!status) print_remote_error(status.error(), options.color);
    status = fail(removed.error());
  }
  co_return status;
}

}  // namespace atl::cli
