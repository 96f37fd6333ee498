#include <algorithm>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

std::uint64_t output_bytes(const model::Output& output) {
  std::uint64_t merged =
      output.large ? output.large->size(model::LargeOutput::Part::kMerged) : output.merged.size();
  return merged * 2;
}

// Outputs may be large, so a page ends early when they add up; the cursor says where. Rows go out
// as they are found.
Task<Answer<void>> list_results(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"limit", "cursor", "output"}));
  ATOLL_CO_TRY(model::Page page, query_page(call));
  ATOLL_CO_TRY(bool with_output, query_flag(call, "output", true));
  std::size_t at_once = with_output ? std::min<std::size_t>(4, page.limit) : page.limit;
  std::size_t limit = std::exchange(page.limit, at_once);
  boost::json::value next;
  std::size_t count = 0;
  for (std::uint64_t bytes = 0;;) {
    ATOLL_CO_TRY(std::vector<model::Execution> rows,
                 co_await call.control().executions().list(call.caller, call.session_id(), page,
                                                           with_output));
    if (!call.exchange->answered()) {
      ATOLL_CO_CHECK(co_await call.exchange->begin(200, {{"Content-Type", "application/json"}}));
      ATOLL_CO_CHECK(co_await call.exchange->write(R"({"results":[)"));
    }
    bool full = false;
    for (model::Execution& row : rows) {
      if (full) {
        next = json_text(page.after);
        break;
      }
      page.after = row.id.str();
      if (with_output) bytes += output_bytes(row.output);
      if (count++ > 0) ATOLL_CO_CHECK(co_await call.exchange->write(","));
      ATOLL_CO_CHECK(co_await write_execution(call, std::move(row), with_output));
      full = count >= limit || bytes >= kPageOutput;
    }
    if (full && next.is_null() && rows.size() == at_once) next = json_text(page.after);
    if (full || rows.size() < at_once) break;
  }
  std::string end = R"(],"next_cursor":)" + codec::serialize(next) + "}";
  ATOLL_CO_CHECK(co_await call.exchange->write(end));
  (void)co_await call.exchange->finish();
  co_return Answer<void>();
}

Task<Answer<void>> get_execution(Call call) {
  ATOLL_CO_TRY(model::Execution row,
               co_await call.control().executions().get(call.caller, call.execution_id()));
  co_return co_await respond_execution(call, std::move(row));
}

Task<Answer<void>> stream_execution(Call call) {
  std::optional<StreamPosition> after;
  if (auto last = call.request().headers.find("last-event-id"); last && !last->empty()) {
    after = from_event_id(*last);
    if (!after) co_return refuse(Code::kInvalidArgument, "unknown Last-Event-ID");
  }
  co_return co_await stream_by_id(call, call.execution_id(), std::move(after));
}

Task<Answer<http::Response>> cancel_execution(Call call) {
  ATOLL_CO_CHECK(co_await call.control().executions().cancel(call.caller, call.execution_id()));
  co_return no_content();
}

// JSON, or the bare bytes as application/octet-stream with ?close=true.
Task<Answer<http::Response>> write_stdin(Call call) {
  std::string bytes;
  bool close = false;
  if (http::same_name(call.request().headers.get("content-type"), "application/octet-stream")) {
    ATOLL_CO_TRY(close, query_flag(call, "close", false));
    ATOLL_CO_TRY(bytes, co_await call.exchange->read_body(kMaxStdin));
  } else {
    ATOLL_CO_TRY(StdinBody body, co_await read_json<StdinBody>(call));
    close = body.close;
    ATOLL_CO_TRY(bytes, to_bytes(std::move(body)));
  }
  ATOLL_CO_CHECK(co_await call.control().executions().write_stdin(call.caller, call.execution_id(),
                                                                  std::move(bytes), close));
  co_return no_content();
}

Task<Answer<http::Response>> send_signal(Call call) {
  ATOLL_CO_TRY(SignalBody body, co_await read_json<SignalBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(int number, to_signal(body));
  ATOLL_CO_CHECK(
      co_await call.control().executions().signal(call.caller, call.execution_id(), number));
  co_return no_content();
}

}  // namespace

void add_executions(Routes& routes) {
  routes.add(Method::kPost, "/sessions/{id}/execute", "execute", Access::kWriter, execute);
  routes.add(Method::kGet, "/sessions/{id}/results", "listResults", Access::kReader, list_results);
  routes.add(Method::kGet, "/executions/{id}", "getExecution", Access::kReader, get_execution);
  routes.add(Method::kPost, "/execute", "aliasExecuteInSession", Access::kWriter, execute_by_body);
  routes.add(Method::kGet, "/result/{id}", "aliasGetResult", Access::kReader, get_execution);
  routes.add(Method::kGet, "/results/{id}", "aliasGetResults", Access::kReader, get_execution);
  routes.add(Method::kGet, "/executions/{id}/stream", "streamExecution", Access::kReader,
             stream_execution);
  routes.add(Method::kDelete, "/executions/{id}", "cancelExecution", Access::kWriter,
             cancel_execution);
  routes.add(Method::kPost, "/executions/{id}/stdin", "writeStdin", Access::kWriter, write_stdin);
  routes.add(Method::kPost, "/executions/{id}/signal", "sendSignal", Access::kWriter, send_signal);
}

}  // namespace atl::api::rest
