// The paths of the platform's first client, below /workspace/se: they always wait, and take a
// session's config beside the other members or inside `config`.
#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/files.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/session_body.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

constexpr double kTimeout = 300;  // seconds, where the request says none

Task<Answer<http::Response>> create_and_wait(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call, kMaxSmallBody));
  ATOLL_CO_TRY(FlatCreateBody body, decode_body<FlatCreateBody>(text));
  ATOLL_CO_TRY(control::CreateRequest request, to_request(std::move(body)));
  co_return co_await create_session_as_asked(call, std::move(request), std::move(text),
                                             {.wait = true});
}

Task<Answer<void>> execute_and_wait(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(ExecuteBody body, decode_body<ExecuteBody>(text));
  if (!body.timeout) body.timeout = kTimeout;
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(std::move(body)));
  co_return co_await execute_as_asked(call, call.session_id(), std::move(request), std::move(text),
                                      {.prefer = {.wait = true}});
}

}  // namespace

void add_aliases(Routes& routes) {
  routes.add_bare(Method::kPost, "/workspace/se/session", "aliasCreateSession", Access::kWriter,
                  create_and_wait);
  routes.add_bare(Method::kPost, "/workspace/se/execute_code/{id}", "aliasExecuteCode",
                  Access::kWriter, execute_and_wait);
  routes.add_bare(Method::kPost, "/workspace/se/execute/{id}", "aliasExecute", Access::kWriter,
                  execute_and_wait);
  routes.add_bare(Method::kPost, "/workspace/se/upload/{id}", "aliasUpload", Access::kWriter,
                  upload_files);
  routes.add_bare(Method::kGet, "/workspace/se/download/{id}/{name...}", "aliasDownload",
                  Access::kReader, download_file);
}

}  // namespace atl::api::rest
