#include "api/rest/documents.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

http::Response document(std::string_view type, std::string_view text) {
  http::Response response{.body = std::string(text)};
  response.headers.add("Content-Type", type);
  response.headers.add("Cache-Control", "max-age=300");
  return response;
}

Task<Answer<http::Response>> openapi(Call call) {
  (void)call;
  co_return document("application/json", openapi_json());
}

Task<Answer<http::Response>> docs(Call call) {
  (void)call;
  http::Response page = document("text/html; charset=utf-8", docs_html());
  page.headers.add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  co_return page;
}

}  // namespace

void add_documents(Routes& routes) {
  routes.add(Method::kGet, "/openapi.json", "getOpenapi", Access::kAnyone, openapi);
  routes.add(Method::kGet, "/docs", "getDocs", Access::kAnyone, docs);
  routes.add_bare(Method::kGet, "/openapi.json", "getBareOpenapi", Access::kAnyone, openapi);
  routes.add_bare(Method::kGet, "/docs", "getBareDocs", Access::kAnyone, docs);
}

}  // namespace atl::api::rest
