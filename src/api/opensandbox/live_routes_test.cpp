// Routes that go on: terminals that outlive their client, and servers inside.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::opensandbox {
namespace {

using async::Task;
using http::Method;
using http::WebSocketMessage;
using rest::test::Api;
using rest::test::Reply;

Task<std::unique_ptr<http::WebSocket>> connect(Api* api, std::string target) {
  auto socket = co_await api->client->websocket(std::move(target), {}, async::kNoDeadline);
  EXPECT_TRUE(socket.has_value()) << socket.error().to_string();
  co_return socket ? std::move(*socket) : nullptr;
}

// Reads until `word` was printed; what it printed, without the marks of frames. "": it closed.
Task<std::string> read_until(http::WebSocket* socket, std::string word, std::uint16_t* closed) {
  std::string printed;
  while (printed.find(word) == printed.npos) {
    auto message = co_await socket->read();
    if (!message) co_return "";
    if (message->kind == WebSocketMessage::Kind::kClose) {
      *closed = message->close_code;
      co_return "";
    }
    std::size_t mark = 0;
    if (message->kind == WebSocketMessage::Kind::kBinary) mark = message->data[0] == 3 ? 9 : 1;
    printed += message->data.substr(mark);
  }
  co_return printed;
}

Task<void> terminal(Api* api) {
  std::string id = co_await api->make_session();
  std::string base = "/sandboxes/" + id + "/proxy/44772/pty";
  Reply opened = co_await api->call(
      Method::kPost, base,
      R"({"command":"echo first; read x; stty size; echo got $x; read y; exit 4"})");
  EXPECT_EQ(opened.status, 201) << opened.body;
  std::string pty = base + "/" + opened.at({"session_id"});
  std::uint16_t closed = 0;
  auto one = co_await connect(api, pty + "/ws");
  if (!one) co_return;
  EXPECT_NE(co_await read_until(one.get(), "connected", &closed), "");
  EXPECT_NE(co_await read_until(one.get(), "first", &closed), "");
  Reply busy = co_await api->call(Method::kGet, pty + "/ws");
  EXPECT_EQ(busy.status, 409) << busy.body;
  (void)co_await one->write_text(R"({"type":"resize","rows":11,"cols":22})");
  (void)co_await one->write_text(R"({"type":"ping"})");
  EXPECT_NE(co_await read_until(one.get(), "pong", &closed), "");
  std::string input = std::string(1, '\0') + "word\n";
  (void)co_await one->write_binary(input);
  std::string said = co_await read_until(one.get(), "got word", &closed);
  EXPECT_NE(said.find("11 22"), said.npos) << said;
  // Another client takes over, and sees what it missed.
  auto two = co_await connect(api, pty + "/ws?takeover=1&since=0");
  if (!two) co_return;
  std::string replayed = co_await read_until(two.get(), "got word", &closed);
  EXPECT_NE(replayed.find("first"), replayed.npos) << replayed;
  EXPECT_EQ(co_await read_until(one.get(), "never printed", &closed), "");
  EXPECT_EQ(closed, 4001);
  Reply shown = co_await api->call(Method::kGet, pty);
  EXPECT_EQ(shown.at({"running"}), "true") << shown.body;
  (void)co_await two->write_binary(input);
  EXPECT_NE(co_await read_until(two.get(), R"("exit_code":4)", &closed), "");
  Reply ended = co_await api->call(Method::kGet, pty);
  EXPECT_EQ(ended.at({"exit_code"}), "4") << ended.body;
  Reply removed = co_await api->call(Method::kDelete, pty);
  EXPECT_EQ(removed.status, 200);
  Reply gone = co_await api->call(Method::kGet, pty);
  EXPECT_EQ(gone.status, 404);
}

// It goes on without a client, and its end ends nothing but itself.
Task<void> left_alone(Api* api) {
  std::string id = co_await api->make_session();
  std::string base = "/sandboxes/" + id + "/proxy/44772/pty";
  Reply opened = co_await api->call(Method::kPost, base, R"({"command":"read x; echo on"})");
  std::string pty = base + "/" + opened.at({"session_id"});
  auto one = co_await connect(api, pty + "/ws");
  if (!one) co_return;
  std::uint16_t closed = 0;
  EXPECT_NE(co_await read_until(one.get(), "connected", &closed), "");
  one->cut();
  one.reset();
  std::unique_ptr<http::WebSocket> two;
  while (!two) {  // until the server has seen that the first is gone
    auto again = co_await api->client->websocket(pty + "/ws", {}, async::kNoDeadline);
    if (again) two = std::move(*again);
    co_await async::yield_now();
  }
  std::string input = std::string(1, '\0') + "x\n";
  (void)co_await two->write_binary(input);
  EXPECT_NE(co_await read_until(two.get(), "on", &closed), "");
  std::string many = opened.at({"session_id"});
  for (int i = 0; i < 20; ++i) {
    Reply more = co_await api->call(Method::kPost, base, R"({"command":"sleep 1000"})");
    if (more.status == 201) continue;
    EXPECT_EQ(more.status, 429) << more.body;
    EXPECT_GT(i, 10);
    break;
  }
}

constexpr const char* kServer = R"PY(
import http.server
class H(http.server.BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  def do_GET(self):
    keys = [name for name in ("X-API-Key", "X-EXECD-ACCESS-TOKEN", "OPEN-SANDBOX-API-KEY", "Authorization") if name in self.headers]
    text = self.path + " " + ",".join(keys)
    self.send_response(200); self.send_header("Content-Length", str(len(text))); self.end_headers()
    self.wfile.write(text.encode())
  def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_address[1], flush=True)
s.serve_forever()
)PY";

Task<void> ports(Api* api) {
  std::string id = co_await api->make_session();
  std::string port = co_await api->serve(id, kServer);
  http::Headers keys{{"OPEN-SANDBOX-API-KEY", "k"}, {"X-EXECD-ACCESS-TOKEN", "t"}};
  Reply direct = co_await api->call(Method::kGet,
                                    "/sandboxes/" + id + "/proxy/" + port + "/a%20b?q=1", {}, keys);
  EXPECT_EQ(direct.body, "/a%20b?q=1 ");
  Reply root = co_await api->call(Method::kGet, "/sandboxes/" + id + "/proxy/" + port, {}, keys);
  EXPECT_EQ(root.body, "/ ");
  Reply by_execd = co_await api->call(
      Method::kGet, "/sandboxes/" + id + "/proxy/44772/proxy/" + port + "/x", {}, keys);
  EXPECT_EQ(by_execd.body, "/x ");
  Reply bad = co_await api->call(Method::kGet, "/sandboxes/" + id + "/proxy/70000/");
  EXPECT_EQ(bad.status, 400) << bad.body;
}

TEST(OpenSandboxLive, TerminalsAreTakenOver) { rest::test::with_api(terminal); }
TEST(OpenSandboxLive, TerminalsOutliveTheirClient) { rest::test::with_api(left_alone); }
TEST(OpenSandboxLive, PortsGetNoKeys) { rest::test::with_api(ports); }

}  // namespace
}  // namespace atl::api::opensandbox
