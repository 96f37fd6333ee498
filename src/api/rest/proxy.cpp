// ANY /sessions/{id}/proxy/{port}/…: a server inside the sandbox, spoken to through the guest, so
// also without a network. WebSockets and other upgrades pass as bytes.
#include <memory>
#include <span>
#include <utility>

#include "api/limits.hpp"
#include "api/rest/proxy_headers.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/tunnel.hpp"
#include "api/text.hpp"
#include "http/client.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

constexpr std::chrono::minutes kHeadTime{10};

Answer<std::uint16_t> port_of(const Call& call) {
  auto port = to_number(call.request().capture("port"));
  if (!port || *port == 0 || *port > 65535) {
    return refuse(Code::kInvalidArgument, "a port is a number from 1 to 65535");
  }
  return static_cast<std::uint16_t>(*port);
}

std::unexpected<Refusal> bad_gateway(const Error& why) {
  return refuse(502, "bad_gateway", "the port inside does not answer: " + why.message());
}

Task<Result<UniqueFd>> hand_over(std::shared_ptr<UniqueFd> socket) {
  if (!*socket) co_return fail(Code::kIo, "the connection was used already");
  co_return std::move(*socket);
}

http::ClientRequest request_of(const Call& call, const std::string& port) {
  const http::Request& request = call.request();
  http::ClientRequest out{.method = request.method, .target = inside_target(request)};
  std::string prefix = "/api/v1/sessions/" + call.session_id().str() + "/proxy/" + port;
  out.headers = request_headers(request, prefix);
  auto length = to_number(request.headers.get("content-length"));
  if (length || request.headers.has("transfer-encoding")) {
    out.source = [exchange = call.exchange](std::span<char> into) {
      return exchange->read_some(into);
    };
    out.source_length = length;
  }
  out.deadline = async::deadline_in(kHeadTime);
  return out;
}

Task<Result<void>> send_body(http::Exchange* exchange, http::ClientResponse* response) {
  auto length = to_number(response->headers().get("content-length"));
  http::Headers headers = answer_headers(response->headers(), false);
  ATOLL_CO_CHECK(co_await exchange->begin(response->status(), std::move(headers), length));
  int status = response->status();
  bool bodyless = exchange->request().method == Method::kHead || status == 204 || status == 304;
  std::string buffer(kChunk, '\0');
  while (!bodyless) {
    ATOLL_CO_TRY(std::size_t got, co_await response->read_some(std::span(buffer)));
    if (got == 0) break;
    ATOLL_CO_CHECK(co_await exchange->write(std::string_view(buffer).substr(0, got)));
  }
  co_return co_await exchange->finish();
}

struct Pair {
  std::unique_ptr<http::RawStream> inside;
  std::unique_ptr<http::RawStream> client;
};

Task<void> pump(std::shared_ptr<Pair> pair, bool to_client) {
  http::RawStream& from = to_client ? *pair->inside : *pair->client;
  http::RawStream& to = to_client ? *pair->client : *pair->inside;
  std::string buffer(kChunk, '\0');
  for (;;) {
    Result<std::size_t> got = co_await from.read_some(std::span(buffer));
    if (!got || *got == 0) break;
    Result<void> written = co_await to.write(std::string_view(buffer).substr(0, *got));
    if (!written) break;
  }
  to.shutdown_write();
}

Task<Answer<void>> pass_bytes(Call call, http::ClientResponse response) {
  http::Headers headers = answer_headers(response.headers(), true);
  ATOLL_CO_TRY(std::unique_ptr<http::RawStream> inside, response.hijack());
  ATOLL_CO_TRY(std::unique_ptr<http::RawStream> client,
               co_await call.exchange->switch_protocols(std::move(headers)));
  auto pair = std::make_shared<Pair>(std::move(inside), std::move(client));
  async::TaskGroup group(call.rest->options.executor);
  group.spawn(pump(pair, false));
  co_await pump(pair, true);
  co_await group.join();  // whoever still sends has nobody who listens
  co_return Answer<void>();
}

// One request over a connection of its own.
Task<Answer<void>> speak(Call call, std::uint16_t port, UniqueFd socket) {
  auto shared = std::make_shared<UniqueFd>(std::move(socket));
  http::Client client(call.rest->options.executor,
                      {.endpoint = "http://localhost:" + std::to_string(port),
                       .connect = [shared] { return hand_over(shared); }});
  auto response = co_await client.send(request_of(call, std::to_string(port)));
  if (!response) co_return bad_gateway(response.error());
  if (response->status() == 101) co_return co_await pass_bytes(call, std::move(*response));
  (void)co_await send_body(call.exchange, &*response);
  co_return Answer<void>();
}

Task<Answer<void>> proxy(Call call) {
  ATOLL_CO_CHECK(require_writer(call));
  ATOLL_CO_TRY(std::uint16_t port, port_of(call));
  ATOLL_CO_TRY(control::Use use,
               co_await call.control().sessions().use(call.caller, call.session_id()));
  auto inside = co_await use.sandbox().connect(port);
  if (!inside) co_return bad_gateway(inside.error());
  async::TaskGroup group(call.rest->options.executor);
  ATOLL_CO_TRY(UniqueFd socket,
               open_tunnel(call.rest->options.executor, group, std::move(*inside)));
  Answer<void> spoken = co_await speak(call, port, std::move(socket));
  co_await group.join();
  co_return spoken;
}

}  // namespace

void add_proxy(Routes& routes) {
  constexpr const char* kPath = "/sessions/{id}/proxy/{port}/{path...}";
  routes.add(Method::kGet, kPath, "proxyGet", proxy);
  routes.add(Method::kPost, kPath, "proxyPost", proxy);
  routes.add(Method::kPut, kPath, "proxyPut", proxy);
  routes.add(Method::kPatch, kPath, "proxyPatch", proxy);
  routes.add(Method::kDelete, kPath, "proxyDelete", proxy);
  routes.add(Method::kOptions, kPath, "proxyOptions", proxy);
}

}  // namespace atl::api::rest
