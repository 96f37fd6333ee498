#include "cli/remote/cp.hpp"

#include <signal.h>

#include "async/signals.hpp"
#include "async/task_group.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

using async::Task;

struct Copy {
  Remote* remote;
  CpPlace from, to;
  async::TaskGroup work;
  int ended_by = 0;
  Result<void> result = {};
};

Task<void> watch_signals(async::Signals* signals, Copy* copy) {
  Result<int> number = co_await signals->next();
  if (!number) co_return;
  copy->ended_by = *number;
  copy->work.close();  // what is not whole is cleared away as it unwinds
}

Task<Result<void>> carry_out(Copy* copy) {
  Remote* remote = copy->remote;
  const CpPlace& inside = copy->from.is_here() ? copy->to : copy->from;
  ATOLL_CO_TRY(SessionId session, co_await client::find_session(&remote->api, inside.session));
  if (copy->from.is_here()) {
    co_return co_await copy_in(remote, copy->from.path, std::move(session), copy->to.path);
  }
  co_return co_await copy_out(remote, std::move(session), copy->from.path, copy->to.path);
}

Task<void> work(Copy* copy) { copy->result = co_await carry_out(copy); }

}  // namespace

RemoteTask copy_files(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 2) {
    co_return fail(Code::kInvalidArgument, "cp: name a source and a target, one as SESSION:PATH");
  }
  Copy copy{.remote = remote,
            .from = parse_place(options.words[0]),
            .to = parse_place(options.words[1]),
            .work = async::TaskGroup(remote->executor)};
  if (copy.from.is_here() == copy.to.is_here()) {
    co_return fail(Code::kInvalidArgument,
                   copy.from.is_here()
                       ? "cp: one side must be in a session: SESSION:PATH"
                       : "cp: one side must be here; copy from one session to another by a pipe");
  }
  ATOLL_CO_TRY(async::Signals signals,
               async::Signals::listen(remote->executor, {SIGINT, SIGTERM, SIGHUP}));
  async::TaskGroup helpers(remote->executor);
  helpers.spawn(watch_signals(&signals, &copy));
  copy.work.spawn(work(&copy));
  co_await copy.work.wait_idle();
  co_await helpers.join();
  if (copy.ended_by != 0) co_return 128 + copy.ended_by;
  if (!copy.result) co_return fail(copy.result.error());
  co_return 0;
}

}  // namespace atl::cli
