// Routes that go on: the terminal, and servers inside.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

using http::WebSocketMessage;

Task<std::unique_ptr<http::WebSocket>> open(Api* api, std::string target) {
  auto socket = co_await api->client->websocket(std::move(target), {}, async::kNoDeadline);
  EXPECT_TRUE(socket.has_value()) << socket.error().to_string();
  co_return socket ? std::move(*socket) : nullptr;
}

// Until a text message; what came before in binary ones goes to `bytes`.
Task<std::string> read_text(http::WebSocket* socket, std::string* bytes) {
  for (;;) {
    auto message = co_await socket->read();
    if (!message || message->kind == WebSocketMessage::Kind::kClose) co_return "closed";
    if (message->kind == WebSocketMessage::Kind::kText) co_return message->data;
    *bytes += message->data;
  }
}

Task<void> terminal(Api* api) {
  std::string pty = "/api/v1/sessions/" + co_await api->make_session() + "/pty";
  auto socket = co_await open(
      api, pty + "?rows=30&cols=90&command=stty%20size;read%20x;stty%20size;exit%204");
  if (!socket) co_return;
  std::string bytes;
  while (bytes.find("30 90") == bytes.npos) {
    auto message = co_await socket->read();
    if (!message || message->kind != WebSocketMessage::Kind::kBinary) break;
    bytes += message->data;
  }
  (void)co_await socket->write_text(R"({"resize":{"rows":11,"cols":22}})");
  (void)co_await socket->write_binary("go\n");
  std::string text = co_await read_text(socket.get(), &bytes);
  EXPECT_NE(bytes.find("11 22"), bytes.npos) << bytes;
  EXPECT_EQ(Reply({200, {}, text}).at({"exit", "exit_code"}), "4") << text;
  Reply plain = co_await api->call(Method::kGet, pty);
  EXPECT_EQ(plain.status, 400);
}

constexpr const char* kServer = R"PY(
import http.server, hashlib, base64, socket
class H(http.server.BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  def do_GET(self):
    if self.headers.get("Upgrade"):
      key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
      accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
      self.wfile.write(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n").encode())
      self.wfile.write(b"\x81\x05hello"); self.wfile.flush()
      self.rfile.read(1); self.close_connection = True
      return
    self.answer(self.path + " " + str("X-API-Key" in self.headers))
  def do_DELETE(self): self.answer(self.command)
  do_OPTIONS = do_DELETE
  def do_POST(self):
    self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode() + "!")
  do_PUT = do_PATCH = do_POST
  def answer(self, text):
    self.send_response(201); self.send_header("Content-Length", str(len(text))); self.send_header("X-Inside", "1")
    self.end_headers(); self.wfile.write(text.encode())
  def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_address[1], flush=True)
s.serve_forever()
)PY";

Task<void> ports(Api* api) {
  std::string id = co_await api->make_session();
  std::string session = "/api/v1/sessions/" + id;
  std::string port = co_await api->serve(id, kServer);
  std::string proxy = session + "/proxy/" + port;
  Reply got = co_await api->call(Method::kGet, proxy + "/a%20b?q=1", {}, {{"X-API-Key", "s"}});
  EXPECT_EQ(got.status, 201) << got.body;
  EXPECT_EQ(got.body, "/a%20b?q=1 False");
  EXPECT_EQ(got.headers.get("x-inside"), "1");
  for (Method method : {Method::kPost, Method::kPut, Method::kPatch}) {
    Reply sent = co_await api->call(method, proxy + "/", "body");
    EXPECT_EQ(sent.body, "body!") << http::method_name(method);
  }
  for (Method method : {Method::kDelete, Method::kOptions}) {
    Reply asked = co_await api->call(method, proxy + "/");
    EXPECT_EQ(asked.body, http::method_name(method));
  }
  auto socket = co_await open(api, proxy + "/ws");
  if (socket) {
    std::string bytes;
    EXPECT_EQ(co_await read_text(socket.get(), &bytes), "hello");
    socket->cut();
  }
  Reply nobody = co_await api->call(Method::kGet, session + "/proxy/1/");
  EXPECT_EQ(nobody.status, 502) << nobody.body;
  Reply bad = co_await api->call(Method::kGet, session + "/proxy/70000/");
  EXPECT_EQ(bad.status, 400);
}

// covers: openTerminal
TEST(TerminalRoutes, BytesSizesAndExit) { with_api(terminal); }
// covers: getExecution, proxyDelete, proxyGet, proxyOptions, proxyPatch, proxyPost, proxyPut
// covers: C20
TEST(ProxyRoutes, HttpAndWebSocket) { with_api(ports); }

}  // namespace
}  // namespace atl::api::rest::test
