// The code interpreter (port 49999): /execute with its answer line by line, and contexts.
#include <array>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/environment_code.hpp"
#include "api/e2b/paths.hpp"
#include "api/e2b/results.hpp"
#include "async/deadline.hpp"
#include "control/execution_feed.hpp"

namespace atl::api::e2b {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;
using control::SpoolKind;

constexpr std::chrono::milliseconds kStep{500};
constexpr std::chrono::seconds kKeepalive{5};

// Lines of text, without characters cut in two.
class TextLines {
 public:
  std::string take(const Call& call, bool is_stdout, std::string_view bytes) {
    std::string& tail = tails_[is_stdout ? 0 : 1];
    std::string all = std::exchange(tail, {});
    all += bytes;
    std::size_t whole = all.size() - incomplete_tail(all);
    tail = all.substr(whole);
    return line(call, is_stdout, std::string_view(all).substr(0, whole));
  }
  std::string rest(const Call& call) {
    std::string out = line(call, true, std::exchange(tails_[0], {}));
    return out + line(call, false, std::exchange(tails_[1], {}));
  }

 private:
  static std::string line(const Call& call, bool is_stdout, std::string_view text) {
    if (text.empty()) return {};
    auto now = call.control().clock().now();
    return text_line(is_stdout, text, now);
  }

  std::array<std::string, 2> tails_;
};

// What is on its way to one client.
struct Answering {
  TextLines text;
  bool error_given = false;
};

std::string line_of(const Call& call, const SpoolEvent& event, Answering& answering) {
  switch (event.kind) {
    case SpoolKind::kStdout: return answering.text.take(call, true, event.data);
    case SpoolKind::kStderr: return answering.text.take(call, false, event.data);
    case SpoolKind::kResult: return result_line(true, event.data);
    case SpoolKind::kDisplay: return result_line(false, event.data);
    case SpoolKind::kError: answering.error_given = true; return error_line(event.data);
    case SpoolKind::kEnd: break;
  }
  return {};
}

std::uint64_t count_of(const model::Execution& row) {
  auto parsed =
      codec::parse(row.result_json, {.max_bytes = row.result_json.size() + 1, .max_depth = 128});
  const object* result = parsed ? parsed->if_object() : nullptr;
  const value* count = result != nullptr ? result->if_contains("execution_count") : nullptr;
  const std::int64_t* number = count != nullptr ? count->if_int64() : nullptr;
  return number != nullptr && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

// False: the client is gone, or the server stops.
Task<bool> send_live(Call call, ExecutionFeed* feed, Answering* answering) {
  auto spoken = std::chrono::steady_clock::now();
  for (;;) {
    auto event = co_await async::with_deadline(feed->next(), async::deadline_in(kStep),
                                               Code::kTransferTimeout, "nothing to say");
    std::string line;
    if (event) {
      if (!*event) co_return true;
      line = line_of(call, ***event, *answering);
    } else if (call.e2b->options.draining && call.e2b->options.draining()) {
      co_return false;
    } else if (std::chrono::steady_clock::now() - spoken >= kKeepalive) {
      line = kKeepaliveLine;
    }
    if (line.empty()) continue;
    if (!co_await call.exchange->write(line)) co_return false;
    spoken = std::chrono::steady_clock::now();
  }
}

// An answer that is cut off tells the client that the sandbox is gone.
Task<void> send_end(Call call, const model::Execution* row, Answering* answering) {
  std::string lines = answering->text.rest(call);
  bool gone = call.control().sessions().row_of(call.sandbox) == nullptr;
  if (gone && row->state != model::ExecutionState::kCompleted) {
    if (!lines.empty()) (void)co_await call.exchange->write(lines);
    co_return;
  }
  if (!row->error_code.empty() && !answering->error_given) {
    lines += error_line(row->error_code, row->error_message);
  }
  lines += count_line(count_of(*row));
  lines += kEndLine;
  if (co_await call.exchange->write(lines)) (void)co_await call.exchange->finish();
}

// A client that closes the connection gives the execution up.
Task<void> cancel_when_gone(Call call, ExecutionId id) {
  co_await call.exchange->client_gone();
  (void)co_await call.control().executions().cancel(call.caller, std::move(id));
}

Task<Answer<ExecutionId>> begin(Call call, const object* body) {
  control::ExecuteRequest request;
  ATOLL_CO_TRY(std::optional<std::string> code, text_member(*body, "code", kMaxCode));
  ATOLL_CO_TRY(std::optional<std::string> context, text_member(*body, "context_id", kMaxName));
  ATOLL_CO_TRY(std::optional<std::string> language, text_member(*body, "language", kMaxName));
  ATOLL_CO_TRY(StringMap variables, map_member(*body, "env_vars"));
  if (!code) co_return refuse(Code::kInvalidArgument, "code is required");
  bool named = context && !context->empty();
  if (named && language && !language->empty()) {
    co_return refuse(Code::kInvalidArgument, "only one of context_id and language may be given");
  }
  request.code = std::move(code);
  request.context = named ? *context : "default";
  request.language = language && !language->empty() ? *language : "python";
  request.timeout = 0;  // the client keeps the time
  if (named) {
    ATOLL_CO_TRY(std::vector<control::ContextView> all,
                 co_await call.control().executions().contexts(call.caller, call.sandbox));
    for (const control::ContextView& one : all) {
      if (one.id.str() == *context) request.language = one.language;
    }
  }
  if (!variables.empty()) {
    ATOLL_CO_TRY(request.code,
                 with_variables(request.language, std::move(*request.code), variables));
  }
  ATOLL_CO_TRY(ExecutionId id, co_await call.control().executions().begin(call.caller, call.sandbox,
                                                                          std::move(request)));
  co_return id;
}

Task<Answer<void>> execute(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(ExecutionId id, co_await begin(call, &body));
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed,
               co_await call.control().executions().follow(call.caller, id, 0));
  async::TaskGroup watch(call.e2b->options.common.executor);
  watch.spawn(cancel_when_gone(call, id));
  Answering answering;
  http::Headers headers{{"Content-Type", "application/x-ndjson"}};
  if (co_await call.exchange->begin(200, std::move(headers))) {
    bool ended = co_await send_live(call, feed.get(), &answering);
    if (ended) co_await send_end(call, &feed->row(), &answering);
  }
  co_await watch.join();
  co_return Answer<void>();
}

object context_view(const control::ContextView& context) {
  return {
      {"id", context.id.str()}, {"language", context.language}, {"cwd", json_text(context.cwd)}};
}

Task<Answer<http::Response>> create_context(Call call) {
  ATOLL_CO_TRY(object body, co_await read_object(call));
  ATOLL_CO_TRY(std::optional<std::string> language, text_member(body, "language", kMaxName));
  ATOLL_CO_TRY(std::optional<std::string> cwd, text_member(body, "cwd", kMaxPath));
  control::OpenContextRequest request;
  request.language = language && !language->empty() ? *language : "python";
  if (cwd && !cwd->empty()) request.cwd = client_path(*cwd).inside;
  if (request.cwd == kWorkspace) request.cwd.clear();
  ATOLL_CO_TRY(control::Outcome<control::ContextView> opened,
               co_await call.control().executions().open_context(call.caller, call.sandbox,
                                                                 std::move(request)));
  co_return json_response(200, context_view(opened.value));
}

Task<Answer<http::Response>> list_contexts(Call call) {
  ATOLL_CO_TRY(std::vector<control::ContextView> all,
               co_await call.control().executions().contexts(call.caller, call.sandbox));
  array list;
  for (const control::ContextView& one : all) list.push_back(context_view(one));
  co_return json_response(200, std::move(list));
}

Task<Answer<http::Response>> restart_context(Call call) {
  ATOLL_CO_TRY(control::ContextView view,
               co_await call.control().executions().restart_context(
                   call.caller, call.sandbox, ContextId(call.request().capture("id"))));
  co_return json_response(200, context_view(view));
}

Task<Answer<http::Response>> remove_context(Call call) {
  ATOLL_CO_CHECK(co_await call.control().executions().close_context(
      call.caller, call.sandbox, ContextId(call.request().capture("id"))));
  co_return no_content();
}

Task<Answer<http::Response>> health(Call) { co_return json_response(200, value("OK")); }

}  // namespace

void add_interpreter(Routes& routes) {
  routes.add(Method::kPost, "/execute", "e2bExecute", Access::kWriter, execute);
  routes.add(Method::kPost, "/contexts", "e2bCreateContext", Access::kWriter, create_context);
  routes.add(Method::kGet, "/contexts", "e2bListContexts", Access::kReader, list_contexts);
  routes.add(Method::kPost, "/contexts/{id}/restart", "e2bRestartContext", Access::kWriter,
             restart_context);
  routes.add(Method::kDelete, "/contexts/{id}", "e2bRemoveContext", Access::kWriter,
             remove_context);
  routes.add(Method::kGet, "/health", "e2bInterpreterHealth", Access::kReader, health);
}

}  // namespace atl::api::e2b
