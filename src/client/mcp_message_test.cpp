#include "client/mcp_message.hpp"

#include <gtest/gtest.h>

namespace atl::client {
namespace {

TEST(McpMessage, SaysWhatHttpNeeds) {
  McpMessage call = read_mcp_message(
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"run_code",)"
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_TRUE(call.is_request());
  EXPECT_TRUE(call.modern());
  EXPECT_EQ(call.name, "run_code");
  EXPECT_EQ(call.id, "\"a\"");
  McpMessage read = read_mcp_message(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"atoll://x/y"}})");
  EXPECT_EQ(read.name, "atoll://x/y");
  EXPECT_FALSE(read.modern());
  McpMessage first = read_mcp_message(R"({"jsonrpc":"2.0","id":0,"method":"initialize"})");
  EXPECT_TRUE(first.is_initialize());
  McpMessage cancelled = read_mcp_message(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  EXPECT_TRUE(cancelled.is_cancellation());
  EXPECT_TRUE(cancelled.is_notification());
  EXPECT_EQ(cancelled.cancelled_id, "7");
  for (std::string_view text : {"", "{", "7", "[]", R"({"id":null,"method":7,"params":[]})"}) {
    McpMessage none = read_mcp_message(text);
    EXPECT_FALSE(none.is_request() || none.is_notification()) << text;
  }
}

TEST(McpMessage, KnowsTheAnswerToARequest) {
  EXPECT_TRUE(is_answer(R"({"jsonrpc":"2.0","id":7,"result":{}})", "7"));
  EXPECT_TRUE(is_answer(R"({"jsonrpc":"2.0","error":{"code":-32700}})", "7"));
  EXPECT_FALSE(is_answer(R"({"jsonrpc":"2.0","id":8,"result":{}})", "7"));
  EXPECT_FALSE(is_answer(R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create"})", "7"));
  EXPECT_FALSE(is_answer("{", "7"));
  EXPECT_TRUE(is_mcp_text(R"({"jsonrpc":"2.0"})"));
  EXPECT_FALSE(is_mcp_text(R"({"code":"unauthenticated"})"));
  EXPECT_EQ(agreed_version(R"({"result":{"protocolVersion":"2025-11-25"}})"), "2025-11-25");
}

TEST(McpMessage, MakesErrorsAndFields) {
  McpMessage request{.id = "\"a\"", .method = "x"};
  EXPECT_EQ(error_line(request, -32603, "no\xff"),
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"no\xef\xbf\xbd\"},"
            "\"id\":\"a\"}");
  EXPECT_EQ(mcp_header_value("plain text"), "plain text");
  EXPECT_EQ(mcp_header_value("\xc3\xa9"), "=?base64?w6k=?=");
  EXPECT_EQ(mcp_header_value(" x"), "=?base64?IHg=?=");
  EXPECT_EQ(mcp_header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}

}  // namespace
}  // namespace atl::client
