// What this server does not do: builds of templates, volumes, secrets of E2B, copies of running
// sandboxes. Told apart from paths that do not exist.
#include "api/e2b/call.hpp"

namespace atl::api::e2b {

namespace {

Task<Answer<http::Response>> builds(Call) {
  co_return refuse(501, "not_implemented",
                   "template builds are not supported: import an image with `atoll image import` "
                   "and name it in dialects.e2b.images");
}

Task<Answer<http::Response>> volumes(Call) {
  co_return refuse(501, "not_implemented", "volumes are not supported");
}

Task<Answer<http::Response>> secrets(Call) {
  co_return refuse(501, "not_implemented",
                   "secrets of E2B are not supported: see PUT /api/v1/secrets/{name}");
}

Task<Answer<http::Response>> fork(Call) {
  co_return refuse(501, "not_implemented",
                   "a running sandbox cannot be copied: create a snapshot and start from it");
}

// Nobody keeps logs of a sandbox beside the output of its executions.
Task<Answer<http::Response>> logs(Call) {
  co_return json_response(200, object{{"logs", array()}, {"logEntries", array()}});
}

}  // namespace

void add_unsupported(Routes& routes) {
  struct Missing {
    Method method;
    const char* path;
    Plain answer;
  };
  constexpr Missing kMissing[] = {
      {Method::kPost, "/templates", builds},
      {Method::kPost, "/v2/templates", builds},
      {Method::kPost, "/v3/templates", builds},
      {Method::kGet, "/templates", builds},
      {Method::kGet, "/v2/templates", builds},
      {Method::kPost, "/templates/{id}", builds},
      {Method::kPatch, "/templates/{id}", builds},
      {Method::kPatch, "/v2/templates/{id}", builds},
      {Method::kGet, "/templates/{id}", builds},
      {Method::kDelete, "/templates/tags", builds},
      {Method::kGet, "/templates/{id}/{rest...}", builds},
      {Method::kPost, "/templates/{id}/{rest...}", builds},
      {Method::kDelete, "/templates/{id}/{rest...}", builds},
      {Method::kPost, "/v2/templates/{id}/{rest...}", builds},
      {Method::kGet, "/volumes", volumes},
      {Method::kPost, "/volumes", volumes},
      {Method::kGet, "/volumes/{rest...}", volumes},
      {Method::kDelete, "/volumes/{rest...}", volumes},
      {Method::kGet, "/volumecontent/{rest...}", volumes},
      {Method::kPut, "/volumecontent/{rest...}", volumes},
      {Method::kPost, "/volumecontent/{rest...}", volumes},
      {Method::kPatch, "/volumecontent/{rest...}", volumes},
      {Method::kDelete, "/volumecontent/{rest...}", volumes},
      {Method::kGet, "/secrets", secrets},
      {Method::kPost, "/secrets", secrets},
      {Method::kGet, "/secrets/{rest...}", secrets},
      {Method::kPost, "/secrets/{rest...}", secrets},
      {Method::kDelete, "/secrets/{rest...}", secrets},
      {Method::kPost, "/sandboxes/{id}/fork", fork},
      {Method::kGet, "/sandboxes/{id}/logs", logs},
      {Method::kGet, "/v2/sandboxes/{id}/logs", logs},
  };
  for (const Missing& one : kMissing) {
    routes.add(one.method, one.path, "e2bUnsupported", Access::kReader, one.answer);
  }
}

}  // namespace atl::api::e2b
