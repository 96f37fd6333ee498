#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Task<Answer<http::Response>> open_context(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(OpenContextBody body, decode_body<OpenContextBody>(text));
  ATOLL_CO_TRY(control::OpenContextRequest request, to_request(std::move(body)));
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  ATOLL_CO_TRY(control::Outcome<control::ContextView> opened,
               co_await call.control().executions().open_context(
                   call.caller, call.session_id(), std::move(request), std::move(once)));
  co_return mark_replayed(json_response(201, context_view(opened.value, call.session_id())),
                          opened.replayed);
}

Task<Answer<http::Response>> list_contexts(Call call) {
  ATOLL_CO_TRY(std::vector<control::ContextView> found,
               co_await call.control().executions().contexts(call.caller, call.session_id()));
  bodies::ContextListBody body;
  for (const control::ContextView& context : found) {
    body.contexts.push_back(context_view(context, call.session_id()));
  }
  co_return json_response(200, body);
}

Task<Answer<http::Response>> close_context(Call call) {
  ATOLL_CO_CHECK(co_await call.control().executions().close_context(
      call.caller, call.session_id(), ContextId(call.request().capture("ctx"))));
  co_return no_content();
}

}  // namespace

void add_contexts(Routes& routes) {
  routes.add(Method::kPost, "/sessions/{id}/contexts", "openContext", Access::kWriter,
             open_context);
  routes.add(Method::kGet, "/sessions/{id}/contexts", "listContexts", Access::kReader,
             list_contexts);
  routes.add(Method::kDelete, "/sessions/{id}/contexts/{ctx}", "closeContext", Access::kWriter,
             close_context);
}

}  // namespace atl::api::rest
