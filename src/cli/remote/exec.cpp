#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/json/array.hpp>

#include "async/signals.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/files.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/remote/event_printer.hpp"
#include "cli/remote/remote.hpp"
#include "client/execution_stream.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

using async::Task;
using bodies::ExecuteBody;

constexpr std::size_t kStdinPortion = 256 * 1024;

// From the words behind SESSION.
Result<ExecuteBody> what_of(const RemoteOptions& options) {
  std::span<const std::string> words = std::span(options.words).subspan(1);
  bool code = options.code || !options.language.empty() || !options.context.empty();
  if (!code) {
    if (words.empty()) return fail(Code::kInvalidArgument, "exec: name a program, or give code");
    ExecuteBody request;
    request.command = boost::json::array(words.begin(), words.end());
    return request;
  }
  ExecuteBody request;
  if (!options.language.empty()) request.language = options.language;
  if (!options.context.empty()) request.context = options.context;
  if (words.size() != (options.code ? 0 : 1)) {
    return fail(Code::kInvalidArgument,
                options.code ? "exec: with -c there is nothing behind SESSION"
                             : "exec: code is one word; put it into quotes, or say - for stdin");
  }
  if (options.code) {
    request.code = *options.code;
  } else if (words[0] == "-") {
    if (options.interactive) {
      return fail(Code::kInvalidArgument, "exec: stdin is either the code or the program's");
    }
    ATOLL_TRY(request.code, read_stdin(kMaxCode, "the code"));
  } else {
    request.code = words[0];
  }
  return request;
}

Result<ExecuteBody> request_of(const RemoteOptions& options) {
  if (options.words.empty()) {
    return fail(Code::kInvalidArgument, "exec: name a session; atoll ps lists them");
  }
  if (options.detach && options.interactive) {
    return fail(Code::kInvalidArgument, "exec: -i has nobody to read for with -d");
  }
  ATOLL_TRY(ExecuteBody request, what_of(options));
  if (options.timeout) request.timeout = static_cast<double>(options.timeout->count()) / 1000;
  if (!options.env.empty()) request.env = environment_of(options);
  if (!options.workdir.empty()) request.cwd = options.workdir;
  if (options.interactive) request.stdin_open = true;
  return request;
}

struct Execution {
  Execution(Remote* with, bool silent)
      : remote(with),
        stream(with->api),
        printer(with->executor, silent),
        work(with->executor),
        helpers(with->executor) {}

  Remote* remote;
  client::ExecutionStream stream;
  EventPrinter printer;
  async::TaskGroup work;     // the execution itself
  async::TaskGroup helpers;  // signals, stdin
  bool cancelling = false;
  int signals = 0;
  int last_signal = 0;
  Result<int> status = 0;
};

Task<void> cancel(Execution* execution) {
  execution->cancelling = true;
  (void)co_await execution->remote->api.cancel_execution(execution->stream.id());
}

Task<void> watch_signals(async::Signals* signals, Execution* execution) {
  for (;;) {
    Result<int> number = co_await signals->next();
    if (!number) co_return;
    execution->last_signal = *number;
    if (++execution->signals > 1) co_return execution->work.close();
    // Before it has an id there is nothing to cancel yet; the first event sees to it.
    if (!execution->stream.id().empty()) execution->helpers.spawn(cancel(execution));
  }
}

Task<void> pump_stdin(Execution* execution) {
  UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (copy) {
    async::Stream input(execution->remote->executor, std::move(copy), async::FdKind::kShared);
    std::string buffer(kStdinPortion, '\0');
    for (;;) {
      Result<std::size_t> got = co_await input.read_some(buffer);
      if (!got || *got == 0) break;
      Result<void> written = co_await execution->remote->api.write_stdin(
          execution->stream.id(), buffer.substr(0, *got), false);
      if (!written) co_return;  // the program closed its stdin or is gone: neither is our failure
    }
  }
  (void)co_await execution->remote->api.write_stdin(execution->stream.id(), "", true);
}

Task<Result<int>> follow(Execution* execution, SessionId session, ExecuteBody request) {
  const RemoteOptions& options = execution->remote->options;
  ATOLL_CO_CHECK(co_await execution->stream.start(std::move(session), std::move(request)));
  for (;;) {
    ATOLL_CO_TRY(std::optional<client::ExecutionEvent> event, co_await execution->stream.next());
    if (!event) break;
    if (event->name == "init") {
      if (execution->signals > 0) execution->helpers.spawn(cancel(execution));
      if (options.interactive) execution->helpers.spawn(pump_stdin(execution));
    }
    Result<void> passed = co_await execution->printer.take(std::move(*event));
    if (!passed && execution->printer.reader_gone()) {
      co_await cancel(execution);
      co_return 128 + SIGPIPE;
    }
    if (!passed) co_return fail(passed.error());
  }
  bool quiet =
      wants_document(*execution->remote) || execution->printer.told() || execution->cancelling;
  bodies::ExecutionBody ended = execution->printer.ended().value_or(bodies::ExecutionBody());
  Result<int> status = outcome_of(ended, quiet, options.color);
  // Cancelled before it began: there is no status but ours.
  if (execution->cancelling && !ended.exit_code) status = 128 + execution->last_signal;
  if (!wants_document(*execution->remote)) co_return status;
  ATOLL_CO_TRY(bodies::ExecutionBody body,
               co_await execution->remote->api.get_execution(execution->stream.id()));
  show_document(*execution->remote, body);
  co_return status;
}

Task<void> work(Execution* execution, SessionId session, ExecuteBody request) {
  execution->status = co_await follow(execution, std::move(session), std::move(request));
}

}  // namespace

RemoteTask execute(Remote* remote) {
  ATOLL_CO_TRY(ExecuteBody request, request_of(remote->options));
  ATOLL_CO_TRY(SessionId session,
               co_await client::find_session(&remote->api, remote->options.words[0]));
  if (remote->options.detach) {
    ATOLL_CO_TRY(bodies::ExecutionBody body,
                 co_await remote->api.execute(std::move(session), std::move(request)));
    if (wants_document(*remote)) co_return show_document(*remote, body);
    co_return show(body.execution_id + "\n");
  }
  Execution execution(remote, wants_document(*remote));
  ATOLL_CO_TRY(async::Signals signals,
               async::Signals::listen(remote->executor, {SIGINT, SIGTERM, SIGHUP, SIGQUIT}));
  execution.helpers.spawn(watch_signals(&signals, &execution));
  execution.work.spawn(work(&execution, std::move(session), std::move(request)));
  co_await execution.work.wait_idle();
  co_await execution.helpers.join();
  if (execution.signals > 1) co_return 128 + execution.last_signal;
  co_return execution.status;
}

}  // namespace atl::cli
