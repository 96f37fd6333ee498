// GET /executions/{id}/log: what an execution has printed, for clients that ask again and again.
#include <utility>

#include "api/common/output_log.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

Task<Answer<http::Response>> read_execution_log(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"cursor", "limit"}));
  ATOLL_CO_TRY(std::uint64_t cursor, query_number(call, "cursor", 0, 0, UINT64_MAX / 2));
  ATOLL_CO_TRY(std::uint64_t limit, query_number(call, "limit", kMaxLogPiece, 16, kMaxLogPiece));
  ATOLL_CO_TRY(model::Execution row,
               co_await call.control().executions().get(call.caller, call.execution_id()));
  ATOLL_CO_TRY(LogPiece piece, co_await read_log(&call.rest->pool, &row, cursor, limit));
  http::Response response{.status = 200, .body = std::move(piece.bytes)};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Atoll-Next-Cursor", std::to_string(piece.next));
  response.headers.add("Atoll-Execution-Ended", model::is_final(row.state) ? "true" : "false");
  co_return response;
}

}  // namespace

void add_execution_log(Routes& routes) {
  routes.add(http::Method::kGet, "/executions/{id}/log", "readExecutionLog", Access::kReader,
             read_execution_log);
}

}  // namespace atl::api::rest
