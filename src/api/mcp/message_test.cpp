// JSON-RPC messages, what modern requests say of themselves, and URIs of files: all pure.
#include "api/mcp/message.hpp"

#include <gtest/gtest.h>

#include "api/mcp/approvals.hpp"
#include "api/mcp/protocol.hpp"
#include "api/mcp/resources.hpp"
#include "api/mcp/result.hpp"
#include "api/mcp/tools.hpp"

namespace atl::api::mcp {
namespace {

using Kind = Message::Kind;

int fault_of(std::string_view text) {
  auto incoming = read_messages(text);
  if (!incoming) return incoming.error().fault.code;
  const Decoded& one = incoming->messages.front();
  return one ? 0 : one.error().fault.code;
}

TEST(McpMessage, ReadsTheThreeKinds) {
  auto request = read_messages(R"({"jsonrpc":"2.0","id":1.0,"method":"ping","params":{"a":1}})");
  ASSERT_TRUE(request && request->messages.front());
  EXPECT_EQ(request->messages.front()->kind, Kind::kRequest);
  EXPECT_EQ(id_text(request->messages.front()->id), "1");
  EXPECT_TRUE(request->messages.front()->params.contains("a"));
  auto notification = read_messages(R"({"jsonrpc":"2.0","method":"x"})");
  EXPECT_EQ(notification->messages.front()->kind, Kind::kNotification);
  auto response = read_messages(R"({"jsonrpc":"2.0","id":"a","error":{"code":1}})");
  EXPECT_EQ(response->messages.front()->kind, Kind::kResponse);
  EXPECT_TRUE(response->messages.front()->failed);
}

TEST(McpMessage, RefusesWhatIsNone) {
  EXPECT_EQ(fault_of("{"), kParseError);
  EXPECT_EQ(fault_of(""), kParseError);
  EXPECT_EQ(fault_of(std::string(1000, '[')), kParseError);
  for (std::string_view text :
       {"7", "[]", "{}", R"({"jsonrpc":"1.0","id":1,"method":"x"})",
        R"({"jsonrpc":"2.0","id":null,"method":"x"})", R"({"jsonrpc":"2.0","id":1.5,"method":"x"})",
        R"({"jsonrpc":"2.0","id":1e300,"method":"x"})", R"({"jsonrpc":"2.0","id":{},"method":"x"})",
        R"({"jsonrpc":"2.0","id":1,"method":7})", R"({"jsonrpc":"2.0","id":1,"method":""})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"result":1,"error":2})", R"({"jsonrpc":"2.0","result":1})"}) {
    EXPECT_EQ(fault_of(text), kInvalidRequest) << text;
  }
}

TEST(McpMessage, ABatchIsBounded) {
  std::string batch = "[{}";
  for (std::size_t i = 0; i < kMaxBatch; ++i) batch += ",{}";
  EXPECT_EQ(fault_of(batch + "]"), kInvalidRequest);
  auto two = read_messages(R"([{"jsonrpc":"2.0","method":"x"},7])");
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->batch);
  EXPECT_TRUE(two->messages[0]);
  EXPECT_FALSE(two->messages[1]);
}

TEST(McpMessage, AnErrorWithoutAnIdHasNone) {
  boost::json::object answer = answer_of(nullptr, Fault{.code = kParseError, .message = "no"});
  EXPECT_FALSE(answer.contains("id"));
  EXPECT_EQ(answer_of(7, Fault{}).at("id"), boost::json::value(7));
}

Message call_of(std::string_view name) {
  return {.kind = Kind::kRequest, .id = 1, .method = "tools/call", .params = {{"name", name}}};
}

RequestMeta modern_meta() { return {.version = std::string(kModern), .client = ClientInfo()}; }

int check(const Message& message, const RequestMeta& meta, const http::Headers& headers) {
  auto checked = check_modern(message, meta, headers);
  return checked ? 0 : checked.error().code;
}

TEST(McpProtocol, HeadAndBodyOfAModernRequestMustAgree) {
  http::Headers good{
      {"MCP-Protocol-Version", kModern}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "run_code"}};
  EXPECT_EQ(check(call_of("run_code"), modern_meta(), good), 0);
  for (std::string_view field : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
    http::Headers without = good;
    without.erase(field);
    EXPECT_EQ(check(call_of("run_code"), modern_meta(), without), kHeaderMismatch) << field;
    http::Headers other = good;
    other.set(field, "other");
    EXPECT_EQ(check(call_of("run_code"), modern_meta(), other), kHeaderMismatch) << field;
  }
  http::Headers coded = good;
  coded.set("Mcp-Name", header_value("é"));
  EXPECT_EQ(check(call_of("é"), modern_meta(), coded), 0);
  coded.set("Mcp-Name", "=?base64?***?=");
  EXPECT_EQ(check(call_of("é"), modern_meta(), coded), kHeaderMismatch);
}

TEST(McpProtocol, AnotherVersionIsRefusedByName) {
  http::Headers headers{{"MCP-Protocol-Version", "1999-01-01"}};
  RequestMeta meta{.version = "1999-01-01"};
  EXPECT_TRUE(is_modern(meta, headers));
  EXPECT_EQ(check(call_of("x"), meta, headers), kUnsupportedVersion);
  EXPECT_FALSE(is_modern({}, {{"MCP-Protocol-Version", kNewestLegacy}}));
}

TEST(McpProtocol, ClientsSayWhetherTheyCanAsk) {
  boost::json::value info{{"name", "c"}};
  for (const auto& [text, can] :
       {std::pair(boost::json::value{{"elicitation", boost::json::object()}}, true),
        std::pair(boost::json::value(boost::json::object()), false)}) {
    auto client = read_client(&info, &text);
    ASSERT_TRUE(client);
    EXPECT_EQ(client->can_elicit, can);
  }
  boost::json::value wrong = 7;
  EXPECT_FALSE(read_client(&wrong, nullptr));
  EXPECT_FALSE(read_client(&info, &wrong));
}

TEST(McpResources, UrisOfFiles) {
  EXPECT_EQ(file_uri("01abc", "d/a b.txt"), "atoll://01abc/d/a%20b.txt");
  auto read = parse_file_uri("atoll://01abc/d/a%20b.txt");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sandbox, "01abc");
  EXPECT_EQ(read->path, "d/a b.txt");
  for (std::string_view wrong : {"", "file:///etc/passwd", "atoll://", "atoll:///x", "atoll://A/x",
                                 "atoll://a/%zz", "atoll://a/%00"}) {
    EXPECT_FALSE(parse_file_uri(wrong)) << wrong;
  }
}

TEST(McpApprovals, AnAnswerCountsOnceAndForTheSameAlone) {
  Approvals approvals;
  Approvals::Time now{};
  std::string state = approvals.open("who", "what", now);
  EXPECT_FALSE(approvals.close(state, "other", "what", now));
  EXPECT_FALSE(approvals.close(state, "who", "other", now));
  EXPECT_FALSE(approvals.close(state, "who", "what", now + Approvals::kPatience * 2));
  EXPECT_TRUE(approvals.close(state, "who", "what", now));
  EXPECT_FALSE(approvals.close(state, "who", "what", now));
}

TEST(McpTools, EachIsDescribedAndThere) {
  EXPECT_LE(tool_list().size(), 20u);
  for (const boost::json::value& tool : tool_list()) {
    std::string_view name = tool.at("name").as_string();
    const ToolEntry* entry = find_tool(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(tool.at("annotations").at("readOnlyHint").as_bool(), !entry->writes) << name;
    EXPECT_EQ(tool.at("inputSchema").at("type").as_string(), "object") << name;
  }
  EXPECT_EQ(find_tool("none"), nullptr);
}

TEST(McpResult, SpeaksAsTheAgentsTools) {
  EXPECT_EQ(timeout_text(60), "Execution timeout (60s)");
  EXPECT_EQ(timeout_text(0.5), "Execution timeout (0.5s)");
  boost::json::object view = result_view(rejected_result("no"));
  EXPECT_EQ(view.at("structuredContent").at("status"), boost::json::value("rejected"));
  EXPECT_TRUE(view.at("isError").as_bool());
}

}  // namespace
}  // namespace atl::api::mcp
