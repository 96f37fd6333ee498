#include <signal.h>

#include "cli/remote/event_printer.hpp"
#include "cli/remote/remote.hpp"
#include "client/execution_stream.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

// Why it failed is part of what is to be seen; the status is that of the showing.
int shown(const Remote& remote, const EventPrinter& printer,
          const bodies::ExecutionBody& execution) {
  if (execution.ended_at && !printer.told()) {
    if (auto failure = client::failure_of(execution)) {
      print_warning("it failed: " + failure->message(), remote.options.color);
    }
  }
  return 0;
}

RemoteTask so_far(Remote* remote, ExecutionId id) {
  ATOLL_CO_TRY(bodies::ExecutionBody body, co_await remote->api.get_execution(std::move(id)));
  if (wants_document(*remote)) co_return show_document(*remote, body);
  EventPrinter printer(remote->executor, false);
  Result<void> passed = co_await printer.take_body(body);
  if (!passed && printer.reader_gone()) co_return 128 + SIGPIPE;
  if (!passed) co_return fail(passed.error());
  co_return shown(*remote, printer, body);
}

RemoteTask to_the_end(Remote* remote, ExecutionId id) {
  client::ExecutionStream stream(remote->api);
  EventPrinter printer(remote->executor, wants_document(*remote));
  ATOLL_CO_CHECK(co_await stream.follow(id));
  for (;;) {
    ATOLL_CO_TRY(std::optional<client::ExecutionEvent> event, co_await stream.next());
    if (!event) break;
    Result<void> passed = co_await printer.take(std::move(*event));
    if (!passed && printer.reader_gone()) co_return 128 + SIGPIPE;
    if (!passed) co_return fail(passed.error());
  }
  if (wants_document(*remote)) co_return co_await so_far(remote, std::move(id));
  co_return shown(*remote, printer, printer.ended().value_or(bodies::ExecutionBody()));
}

}  // namespace

RemoteTask show_logs(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 1) {
    co_return fail(Code::kInvalidArgument, "logs: name one execution, or one session");
  }
  ATOLL_CO_TRY(ExecutionId id, co_await client::find_execution(&remote->api, options.words[0]));
  co_return co_await (options.follow ? to_the_end(remote, id) : so_far(remote, id));
}

}  // namespace atl::cli
