#include "backends/opensandbox/lifecycle.hpp"

#include <cstring>
#include <utility>

#include "http/uri.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using http::Method;
using std::chrono::seconds;

namespace {

constexpr int kCreate = 6;  // times the usual patience: the server may pull an image meanwhile
constexpr std::size_t kMaxBody = 16u << 20;
constexpr int kMostPages = 1000;

http::ClientOptions options_of(const Settings& settings) {
  http::ClientOptions options{.endpoint = split_address(settings.server_url).endpoint};
  options.headers.add("User-Agent", "atoll");
  if (!settings.api_key.empty()) options.headers.add("OPEN-SANDBOX-API-KEY", settings.api_key);
  return options;
}

std::string path_of(const std::string& id, std::string_view rest = {}) {
  return "/v1/sandboxes/" + http::percent_encode(id).append(rest);
}

bool has_ended(const RemoteInfo& info) {
  return info.state == "Terminated" || info.state == "Failed" || info.state == "Stopping";
}

Task<Result<void>> ignore_body(Task<Result<std::string>> call) {
  ATOLL_CO_TRY([[maybe_unused]] std::string body, co_await std::move(call));
  co_return Result<void>();
}

}  // namespace

BaseAddress split_address(const std::string& url) {
  std::size_t scheme = url.find("://");
  std::size_t path = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  if (path == std::string::npos) return {.endpoint = url, .prefix = ""};
  return {.endpoint = url.substr(0, path), .prefix = url.substr(path)};
}

Lifecycle::Lifecycle(async::Executor executor, Settings settings)
    : settings_(std::move(settings)),
      prefix_(split_address(settings_.server_url).prefix),
      client_(std::move(executor), options_of(settings_)) {}

Task<Result<std::string>> Lifecycle::call(Method method, std::string target, std::string body,
                                          seconds patience) {
  async::Deadline deadline = async::deadline_in(patience);
  http::ClientRequest request{
      .method = method, .target = prefix_ + target, .body = std::move(body), .deadline = deadline};
  if (!request.body.empty()) request.headers.add("Content-Type", "application/json");
  Result<http::ClientResponse> response = co_await client_.send(std::move(request));
  if (!response) {
    const Error& why = response.error();
    if (why.code() == Code::kInvalidArgument || why.code() == Code::kCancelled) {
      co_return fail(why);
    }
    std::string reason = why.errno_value() != 0 ? std::strerror(why.errno_value()) : why.message();
    co_return fail(
        Error(why.code() == Code::kTransferTimeout ? why.code() : Code::kBackend,
              "no OpenSandbox server answers at " + settings_.server_url + " (" + reason + ")",
              why.errno_value()));
  }
  ATOLL_CO_TRY(std::string answer, co_await response->read_body(kMaxBody, deadline));
  if (!response->ok()) co_return fail(error_of(response->status(), answer));
  co_return answer;
}

Task<Result<RemoteInfo>> Lifecycle::create(std::string body) {
  ATOLL_CO_TRY(std::string answer, co_await call(Method::kPost, "/v1/sandboxes", std::move(body),
                                                 kCreate * settings_.patience));
  co_return read_info(answer);
}

Task<Result<RemoteInfo>> Lifecycle::get(std::string id) {
  ATOLL_CO_TRY(std::string answer,
               co_await call(Method::kGet, path_of(id), "", settings_.patience));
  co_return read_info(answer);
}

Task<Result<std::vector<RemoteInfo>>> Lifecycle::find(std::string sandbox) {
  std::string labels = kInstanceLabel + ("=" + settings_.instance);
  if (!sandbox.empty()) labels.append("&").append(kSandboxLabel).append("=").append(sandbox);
  std::vector<RemoteInfo> all;
  for (int page = 1; page <= kMostPages; ++page) {
    ATOLL_CO_TRY(std::string answer,
                 co_await call(Method::kGet,
                               "/v1/sandboxes?metadata=" + http::percent_encode(labels) +
                                   "&pageSize=200&page=" + std::to_string(page),
                               "", settings_.patience));
    ATOLL_CO_TRY(RemoteList list, read_list(answer));
    for (RemoteInfo& one : list.items) {
      // A server that knows no such filter must not make others' sandboxes ours.
      bool ours = one.metadata[kInstanceLabel] == settings_.instance &&
                  (sandbox.empty() || one.metadata[kSandboxLabel] == sandbox);
      if (ours && !has_ended(one)) all.push_back(std::move(one));
    }
    if (!list.has_next_page) break;
  }
  co_return all;
}

Task<Result<void>> Lifecycle::remove(std::string id) {
  Result<std::string> answer = co_await call(Method::kDelete, path_of(id), "", settings_.patience);
  if (!answer && answer.error().code() != Code::kNotFound) co_return fail(answer.error());
  co_return Result<void>();
}

Task<Result<void>> Lifecycle::remove_all_of(std::string sandbox) {
  ATOLL_CO_TRY(std::vector<RemoteInfo> found, co_await find(std::move(sandbox)));
  for (RemoteInfo& one : found) ATOLL_CO_CHECK(co_await remove(std::move(one.id)));
  co_return Result<void>();
}

Task<Result<void>> Lifecycle::renew(std::string id) {
  std::string body = renew_body(std::chrono::system_clock::now() + settings_.timeout);
  co_return co_await ignore_body(
      call(Method::kPost, path_of(id, "/renew-expiration"), std::move(body), settings_.patience));
}

Task<Result<void>> Lifecycle::pause(std::string id) {
  co_return co_await ignore_body(
      call(Method::kPost, path_of(id, "/pause"), "", settings_.patience));
}

Task<Result<void>> Lifecycle::resume(std::string id) {
  co_return co_await ignore_body(
      call(Method::kPost, path_of(id, "/resume"), "", settings_.patience));
}

Task<Result<Endpoint>> Lifecycle::endpoint(std::string id, int port) {
  std::string rest = "/endpoints/" + std::to_string(port) +
                     "?use_server_proxy=" + (settings_.server_proxy ? "true" : "false");
  ATOLL_CO_TRY(std::string answer,
               co_await call(Method::kGet, path_of(id, rest), "", settings_.patience));
  co_return read_endpoint(answer);
}

}  // namespace atl::backends::opensandbox
