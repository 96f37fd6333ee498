#include "api/common/port_forward.hpp"

#include <memory>
#include <span>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/common/tunnel.hpp"
#include "http/client.hpp"

namespace atl::api {

namespace {

using async::Task;

constexpr std::chrono::minutes kHeadTime{10};

std::unexpected<Refusal> bad_gateway(const Error& why) {
  return refuse(502, "bad_gateway", "the port inside does not answer: " + why.message());
}

Task<Result<UniqueFd>> hand_over(std::shared_ptr<UniqueFd> socket) {
  if (!*socket) co_return fail(Code::kIo, "the connection was used already");
  co_return std::move(*socket);
}

http::ClientRequest request_of(const PortCall& call, const Forward& forward) {
  const http::Request& request = call.exchange->request();
  http::ClientRequest out{
      .method = request.method, .target = forward.target, .headers = forward.headers};
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

Task<Result<void>> send_body(http::Exchange* exchange, http::ClientResponse* response,
                             http::Headers headers) {
  auto length = to_number(response->headers().get("content-length"));
  ATOLL_CO_CHECK(co_await exchange->begin(response->status(), std::move(headers), length));
  int status = response->status();
  bool bodyless =
      exchange->request().method == http::Method::kHead || status == 204 || status == 304;
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

Task<Answer<void>> pass_bytes(PortCall call, http::ClientResponse response, http::Headers headers) {
  ATOLL_CO_TRY(std::unique_ptr<http::RawStream> inside, response.hijack());
  ATOLL_CO_TRY(std::unique_ptr<http::RawStream> client,
               co_await call.exchange->switch_protocols(std::move(headers)));
  auto pair = std::make_shared<Pair>(std::move(inside), std::move(client));
  async::TaskGroup group(call.executor);
  group.spawn(pump(pair, false));
  co_await pump(pair, true);
  co_await group.join();  // a sender that is left has no reader
  co_return Answer<void>();
}

// One request over a connection of its own.
Task<Answer<void>> speak(PortCall call, Forward forward, UniqueFd socket) {
  auto shared = std::make_shared<UniqueFd>(std::move(socket));
  http::Client client(call.executor,
                      {.endpoint = "http://localhost:" + std::to_string(forward.port),
                       .connect = [shared] { return hand_over(shared); }});
  auto response = co_await client.send(request_of(call, forward));
  if (!response) co_return bad_gateway(response.error());
  bool upgrade = response->status() == 101;
  http::Headers headers = forward.answer(response->headers(), upgrade);
  if (upgrade) co_return co_await pass_bytes(call, std::move(*response), std::move(headers));
  (void)co_await send_body(call.exchange, &*response, std::move(headers));
  co_return Answer<void>();
}

}  // namespace

Answer<std::uint16_t> port_of(const http::Request& request) {
  auto port = to_number(request.capture("port"));
  if (!port || *port == 0 || *port > 65535) {
    return refuse(Code::kInvalidArgument, "a port is a number from 1 to 65535");
  }
  return static_cast<std::uint16_t>(*port);
}

Task<Answer<void>> forward_to_port(PortCall call, Forward forward) {
  ATOLL_CO_TRY(control::PortConnection inside,
               co_await call.control->ports().connect(call.caller, call.session, forward.port));
  if (inside.refused) co_return bad_gateway(*inside.refused);
  async::TaskGroup group(call.executor);
  ATOLL_CO_TRY(UniqueFd socket, open_tunnel(call.executor, group, std::move(inside.stream)));
  Answer<void> spoken = co_await speak(call, std::move(forward), std::move(socket));
  co_await group.join();
  co_return spoken;
}

}  // namespace atl::api
