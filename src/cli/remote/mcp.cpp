#include "cli/remote/mcp.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/event.hpp"
#include "async/run.hpp"
#include "async/signals.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/remote/mcp_server.hpp"
#include "cli/remote/report.hpp"
#include "client/mcp_link.hpp"

namespace atl::cli {

namespace {

using async::Task;
using client::McpLink;

// Whole lines for standard output, one after the other, whoever has one.
class Lines {
 public:
  explicit Lines(async::Stream out) : out_(std::move(out)) {}

  Task<void> write(std::string line) {
    while (busy_) co_await changed_.wait();
    if (gone_) co_return;
    busy_ = true;
    line += '\n';
    Result<void> written = co_await out_.write_all(line);
    if (!written) gone_ = true;
    busy_ = false;
    changed_.notify_all();
  }

 private:
  async::Stream out_;
  bool busy_ = false;
  bool gone_ = false;  // the reader
  async::Event changed_;
};

Result<async::Stream> standard(async::Executor executor, int number) {
  UniqueFd copy(::fcntl(number, F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno("duplicating a standard stream");
  return async::Stream(std::move(executor), std::move(copy), async::FdKind::kShared);
}

// Until the end of the input. A line that is too long is refused and passed over.
Task<Result<void>> read_lines(async::Stream* in, McpLink* link, Lines* lines) {
  std::string pending;
  std::string buffer(256u << 10, '\0');
  bool skipping = false;
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await in->read_some(buffer));
    if (got == 0) co_return Result<void>();
    std::string_view rest(buffer.data(), got);
    while (!rest.empty()) {
      std::size_t end = rest.find('\n');
      if (!skipping) pending.append(rest.substr(0, end));
      bool whole = end != rest.npos;
      rest.remove_prefix(whole ? end + 1 : rest.size());
      if (pending.size() > McpLink::kMaxLine && !skipping) {
        skipping = true;
        pending.clear();
        co_await lines->write(
            R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"the message is too large"}})");
      }
      if (!whole) continue;
      std::string line = std::exchange(pending, {});
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty() && !skipping) co_await link->take(std::move(line));
      skipping = false;
    }
  }
}

Task<void> keep(Task<Result<void>> task, std::optional<Result<void>>* result, async::Event* done) {
  result->emplace(co_await std::move(task));
  done->notify_all();
}

Task<void> until_signal(async::Signals* signals, std::optional<Result<void>>* result,
                        async::Event* done) {
  (void)co_await signals->next();
  if (!*result) result->emplace();
  done->notify_all();
}

Task<Result<void>> speak(async::Executor executor, McpLink::Options options) {
  ATOLL_CO_TRY(async::Signals signals, async::Signals::listen(executor, {SIGTERM, SIGINT, SIGHUP}));
  ATOLL_CO_TRY(async::Stream in, standard(executor, STDIN_FILENO));
  ATOLL_CO_TRY(async::Stream out, standard(executor, STDOUT_FILENO));
  Lines lines(std::move(out));
  options.deliver = [&lines](std::string line) { return lines.write(std::move(line)); };
  McpLink link(executor, std::move(options));
  async::TaskGroup group(executor);
  std::optional<Result<void>> ended;
  async::Event done;
  group.spawn(keep(read_lines(&in, &link, &lines), &ended, &done));
  group.spawn(until_signal(&signals, &ended, &done));
  while (!ended) co_await done.wait();
  co_await group.join();
  co_await link.finish();
  co_return *ended;
}

Task<Result<client::Address>> always(client::Address address) { co_return address; }

Task<Result<void>> run(async::Executor executor, const RemoteOptions* options,
                       std::optional<client::Address> address) {
  if (address) {
    McpLink::Options link;
    link.server = [&address](bool) { return always(*address); };
    co_return co_await speak(executor, std::move(link));
  }
  OwnServer server(executor, {.data = options->data, .sets = options->sets});
  McpLink::Options link;
  link.server = [&server](bool again) { return server.address(again); };
  Result<void> ended;
  Result<client::Address> started = co_await server.address();
  if (started) {
    ended = co_await speak(executor, std::move(link));
  } else {
    ended = fail(started.error());
  }
  co_await server.stop();
  co_return ended;
}

}  // namespace

int mcp_command(const RemoteOptions& options, const ServerSources& sources) {
  std::optional<client::Address> address;
  bool named = !options.server.empty() || (sources.server != nullptr && *sources.server != '\0');
  if (!options.words.empty()) {
    print_remote_error(Error(Code::kInvalidArgument, "mcp: takes options only"), options.color);
    return exit_status_of(Code::kInvalidArgument);
  }
  if (named) {
    Result<client::Address> chosen = choose_server(options, sources);
    if (!chosen) {
      print_remote_error(chosen.error(), options.color);
      return exit_status_of(chosen.error().code());
    }
    address = std::move(*chosen);
  }
  Result<void> ended = async::run_to_end<Result<void>>(
      [&](async::Executor executor) { return run(std::move(executor), &options, address); });
  if (ended) return 0;
  print_remote_error(ended.error(), options.color);
  return exit_status_of(ended.error().code());
}

}  // namespace atl::cli
