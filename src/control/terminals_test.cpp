// Terminals and ports of a session, on the fake backend.
#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

// Until this has come, or the end.
Task<std::string> read_until(Terminal* terminal, std::string wanted) {
  std::string text;
  while (text.find(wanted) == std::string::npos) {
    auto piece = co_await terminal->read();
    if (!piece || piece->empty()) break;
    text += *piece;
  }
  co_return text;
}

Task<void> typed(Plane* plane) {
  Terminals& terminals = plane->control->terminals();
  SessionId id = co_await make_session(plane);
  EXPECT_EQ((co_await terminals.open({.tenant = "other"}, id, {})).error().code(),
            Code::kSessionNotFound);
  EXPECT_EQ((co_await terminals.open({}, id, {.cwd = "../up"})).error().code(),
            Code::kInvalidArgument);
  auto opened = co_await terminals.open(
      {}, id, {.command = "stty size; read line; echo got $line; stty size; exit 5", .rows = 30});
  EXPECT_TRUE(opened.has_value()) << opened.error().to_string();
  Terminal& terminal = **opened;
  EXPECT_TRUE((co_await terminal.start()).has_value());
  EXPECT_NE((co_await read_until(&terminal, "30 80\r\n")).find("30 80"), std::string::npos);
  EXPECT_TRUE((co_await terminal.resize(40, 100)).has_value());
  EXPECT_TRUE((co_await terminal.write("it\n")).has_value());
  std::string rest = co_await read_until(&terminal, "never");
  EXPECT_NE(rest.find("got it"), std::string::npos) << rest;
  EXPECT_NE(rest.find("40 100"), std::string::npos) << rest;
  auto ended = co_await terminal.wait();
  EXPECT_EQ(ended->exit_code, 5);
}

Task<void> ported(Plane* plane) {
  Ports& ports = plane->control->ports();
  SessionId id = co_await make_session(plane);
  EXPECT_EQ((co_await ports.connect({}, SessionId("none"), 1)).error().code(),
            Code::kSessionNotFound);
  ExecuteRequest server{.code =
                            "import socket\n"
                            "s = socket.create_server(('127.0.0.1', 0))\n"
                            "print(s.getsockname()[1], flush=True)\n"
                            "c = s.accept()[0]\n"
                            "c.sendall(b'echo ' + c.recv(100))\n"
                            "c.close()\n",
                        .language = "python"};
  auto begun = co_await plane->control->executions().execute({}, id, server, std::nullopt);
  EXPECT_TRUE(begun.has_value()) << begun.error().to_string();
  auto feed = co_await plane->control->executions().follow({}, begun->value.id, 0);
  std::string line;
  while (line.find('\n') == std::string::npos) {
    auto event = co_await (*feed)->next();
    if (!event || !*event) break;
    line += (**event)->data;
  }
  auto port = static_cast<std::uint16_t>(std::stoi(line));
  auto connection = co_await ports.connect({}, id, port);
  EXPECT_TRUE(connection && connection->stream);
  EXPECT_TRUE((co_await connection->stream->write("hello")).has_value());
  std::string answer;
  for (;;) {
    auto piece = co_await connection->stream->read();
    if (!piece || piece->empty()) break;
    answer += *piece;
  }
  EXPECT_EQ(answer, "echo hello");
}

Task<void> refused(Plane* plane) {
  SessionId id = co_await make_session(plane);
  auto connection = co_await plane->control->ports().connect({}, id, 1);
  EXPECT_TRUE(connection && connection->refused) << "the session is there, and nobody listens";
}

TEST(Terminals, TypedResizedAndEnded) { with_control(typed); }
TEST(Ports, BytesBothWays) { with_control(ported); }
TEST(Ports, NobodyListens) { with_control(refused); }

}  // namespace
}  // namespace atl::control::test
