// /code of execd: interpreters whose variables live, and code in them.
#include <algorithm>
#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/bodies.hpp"
#include "api/opensandbox/event_stream.hpp"

namespace atl::api::opensandbox {

namespace {

struct ContextBody {
  std::optional<std::string> id;
  std::optional<std::string> language;
  std::optional<std::string> cwd;
};
BOOST_DESCRIBE_STRUCT(ContextBody, (), (id, language, cwd))

struct CodeBody {
  std::optional<std::string> code;
  std::optional<ContextBody> context;
};
BOOST_DESCRIBE_STRUCT(CodeBody, (), (code, context))

constexpr std::string_view kShell = "bash";

Answer<void> check_context(const ContextBody& body) {
  if (body.language && body.language->size() > kMaxName) {
    return refuse_value("/language", "is too long");
  }
  if (body.id && body.id->size() > kMaxName) return refuse(Code::kNotFound, "no such context");
  if (body.cwd && (body.cwd->size() > kMaxPath || body.cwd->find('\0') != std::string::npos)) {
    return refuse_value("/cwd", "is too long, or has a NUL");
  }
  return {};
}

object view_of(const control::ContextView& context) {
  return {{"id", context.id.str()}, {"language", context.language}};
}

Task<Answer<http::Response>> open(Call call) {
  ATOLL_CO_TRY(ContextBody body, co_await read_json<ContextBody>(call));
  ATOLL_CO_CHECK(check_context(body));
  if (!body.language || body.language->empty()) {
    co_return refuse_field("/language", "is required");
  }
  control::OpenContextRequest request{.language = std::move(*body.language),
                                      .cwd = std::move(body.cwd).value_or("")};
  ATOLL_CO_TRY(control::Outcome<control::ContextView> opened,
               co_await call.control().executions().open_context(call.caller, call.session_id(),
                                                                 std::move(request)));
  co_return json_response(200, view_of(opened.value));
}

Task<Answer<std::vector<control::ContextView>>> contexts_of(Call call) {
  ATOLL_CO_TRY(std::vector<control::ContextView> found,
               co_await call.control().executions().contexts(call.caller, call.session_id()));
  std::string_view language = call.request().query_value("language");
  if (!language.empty()) {
    std::erase_if(found, [&](const auto& one) { return one.language != language; });
  }
  co_return found;
}

Task<Answer<http::Response>> list(Call call) {
  ATOLL_CO_TRY(std::vector<control::ContextView> found, co_await contexts_of(call));
  boost::json::array items;
  for (const control::ContextView& context : found) items.push_back(view_of(context));
  co_return json_response(200, items);
}

Task<Answer<http::Response>> get(Call call) {
  std::string id = call.request().capture("context");
  ATOLL_CO_TRY(std::vector<control::ContextView> found, co_await contexts_of(call));
  auto one = std::ranges::find(found, id, [](const auto& context) { return context.id.str(); });
  if (one == found.end()) co_return refuse(Code::kNotFound, "there is no context " + id);
  co_return json_response(200, view_of(*one));
}

Task<Answer<http::Response>> close(Call call) {
  ATOLL_CO_CHECK(co_await call.control().executions().close_context(
      call.caller, call.session_id(), ContextId(call.request().capture("context"))));
  co_return empty_response(200);
}

Task<Answer<http::Response>> close_all(Call call) {
  if (call.request().query_value("language").empty()) {
    co_return refuse(400, "missing_query", "the query parameter `language` is required");
  }
  ATOLL_CO_TRY(std::vector<control::ContextView> found, co_await contexts_of(call));
  for (control::ContextView& context : found) {
    ATOLL_CO_CHECK(co_await call.control().executions().close_context(
        call.caller, call.session_id(), std::move(context.id)));
  }
  co_return empty_response(200);
}

Task<Answer<void>> run(Call call) {
  ATOLL_CO_TRY(CodeBody body, co_await read_json<CodeBody>(call));
  std::string code = std::move(body.code).value_or("");
  if (code.empty()) co_return refuse_value("/code", "must not be empty");
  if (code.size() > kMaxCode || code.find('\0') != code.npos) {
    co_return refuse_value("/code", "is too long, or has a NUL");
  }
  ContextBody context = std::move(body.context).value_or(ContextBody());
  ATOLL_CO_CHECK(check_context(context));
  control::ExecuteRequest request;
  request.code = std::move(code);
  request.timeout = 0;
  // Theirs takes code without a language for a command of the shell.
  request.language = std::move(context.language).value_or("");
  if (context.id && !context.id->empty()) {
    request.context = std::move(*context.id);
  } else {
    if (request.language.empty()) request.language = kShell;
    request.context = "default";
  }
  co_return co_await run_and_stream(call, std::move(request), EventText::Form::kPieces);
}

// By the id of an execution, or of the context that it is in.
Task<Answer<http::Response>> interrupt(Call call) {
  std::string id(call.request().query_value("id"));
  control::Executions& executions = call.control().executions();
  Answer<model::Execution> row = co_await find_execution(call, id);
  if (row) {
    if (!model::is_final(row->state)) {
      ATOLL_CO_CHECK(co_await executions.cancel(call.caller, row->id));
    }
    co_return empty_response(200);
  }
  if (row.error().error.code() != Code::kNotFound) {
    co_return std::unexpected(std::move(row).error());
  }
  ATOLL_CO_TRY(control::SessionStatus status,
               co_await call.control().sessions().status(call.caller, call.session_id()));
  bool found = false;
  for (std::string& running : status.running) {
    Answer<model::Execution> one = co_await find_execution(call, std::move(running));
    if (!one || one->context_id.str() != id) continue;
    found = true;
    ATOLL_CO_CHECK(co_await executions.cancel(call.caller, one->id));
  }
  if (!found) co_return std::unexpected(std::move(row).error());
  co_return empty_response(200);
}

}  // namespace

void add_code(Routes& routes) {
  routes.execd(Method::kPost, "/code/context", "open_context", Access::kWriter, open);
  routes.execd(Method::kGet, "/code/contexts", "list_contexts", Access::kReader, list);
  routes.execd(Method::kDelete, "/code/contexts", "close_contexts", Access::kWriter, close_all);
  routes.execd(Method::kGet, "/code/contexts/{context}", "get_context", Access::kReader, get);
  routes.execd(Method::kDelete, "/code/contexts/{context}", "close_context", Access::kWriter,
               close);
  routes.execd(Method::kPost, "/code", "run_code", Access::kWriter, run);
  routes.execd(Method::kDelete, "/code", "interrupt_code", Access::kWriter, interrupt);
}

}  // namespace atl::api::opensandbox
