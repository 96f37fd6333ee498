// /mcp over HTTP, with sandboxes of the fake backend: what each version of the protocol prescribes,
// and what hostile clients get.
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "api/mcp/mcp.hpp"
#include "api/rest/test_api.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"

namespace atl::api::mcp {
namespace {

using http::Headers;
using http::Method;
using rest::test::Api;
using rest::test::ApiWish;
using rest::test::Reply;
using rest::test::Task;
using rest::test::with_api;

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

ApiWish wish(NeedsApproval needs_approval = {}) {
  ApiWish wish;
  wish.more_routes = [needs_approval](http::Router& router, control::Control& control,
                                      async::Executor executor) {
    add_mcp_routes(router, control,
                   {.executor = executor,
                    .version = "test",
                    .body_bytes = 1u << 20,
                    .needs_approval = needs_approval});
  };
  return wish;
}

Task<Reply> post(Api* api, std::string body, Headers more = {}) {
  if (!more.has("accept")) more.set("Accept", "application/json, text/event-stream");
  if (!more.has("content-type")) more.set("Content-Type", "application/json");
  co_return co_await api->call(Method::kPost, "/mcp", std::move(body), std::move(more));
}

std::string initialize(std::string_view version, std::string_view capabilities = "{}") {
  return R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
         std::string(version) + R"(","capabilities":)" + std::string(capabilities) +
         R"(,"clientInfo":{"name":"t","version":"1"}}})";
}

Task<Headers> begin(Api* api, std::string version = "2025-11-25", std::string can = "{}") {
  Reply reply = co_await post(api, initialize(version, can));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.at({"result", "protocolVersion"}), version);
  Headers headers{{"Mcp-Session-Id", reply.headers.get("mcp-session-id")}};
  co_return headers;
}

std::string call(std::string_view tool, std::string_view arguments, std::string_view id = "7",
                 std::string_view more = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)" +
         std::string(arguments) + std::string(more) + "}}";
}

Headers modern(std::string_view method, std::string_view name = "") {
  Headers headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
  if (!name.empty()) headers.add("Mcp-Name", name);
  return headers;
}

// The messages of a stream, or the one of a plain answer.
std::vector<boost::json::value> messages(const Reply& reply) {
  if (!reply.headers.get("content-type").starts_with("text/event-stream")) return {reply.json()};
  http::SseReader reader;
  EXPECT_TRUE(reader.feed(reply.body));
  std::vector<boost::json::value> all;
  while (auto event = reader.next()) {
    auto value = codec::parse(event->data);
    all.push_back(value ? *value : boost::json::value());
  }
  return all;
}

Task<void> legacy_sessions(Api* api) {
  Headers session = co_await begin(api);
  Reply listed = co_await post(api, R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})", session);
  EXPECT_EQ(listed.at({"result", "tools", "0", "name"}), "run_code");
  Reply ping = co_await post(api, R"({"jsonrpc":"2.0","id":"p","method":"ping"})", session);
  EXPECT_EQ(ping.at({"result"}), "{}");
  Reply noted =
      co_await post(api, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session);
  EXPECT_EQ(noted.status, 202);
  EXPECT_EQ(noted.body, "");
  EXPECT_EQ((co_await post(api, R"({"jsonrpc":"2.0","id":2,"method":"ping"})")).status, 400);
  Headers unknown{{"Mcp-Session-Id", "nobody"}};
  EXPECT_EQ((co_await post(api, R"({"jsonrpc":"2.0","id":2,"method":"ping"})", unknown)).status,
            404);
  EXPECT_EQ((co_await api->call(Method::kGet, "/mcp", "", session)).status, 405);
  EXPECT_EQ((co_await api->call(Method::kDelete, "/mcp", "", session)).status, 204);
  EXPECT_EQ((co_await post(api, R"({"jsonrpc":"2.0","id":2,"method":"ping"})", session)).status,
            404);
}
TEST(McpRoutes, LegacySessionsLiveFromInitializeToDelete) { with_api(legacy_sessions, wish()); }

Task<void> versions(Api* api) {
  for (std::string version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    co_await begin(api, version);
  }
  Reply unknown = co_await post(api, initialize("1999-01-01"));
  EXPECT_EQ(unknown.at({"result", "protocolVersion"}), "2025-11-25");
  std::string list =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + std::string(kMeta) + "}}";
  Reply listed = co_await post(api, list, modern("tools/list"));
  EXPECT_EQ(listed.at({"result", "resultType"}), "complete") << listed.body;
  EXPECT_EQ(listed.at({"result", "cacheScope"}), "public");
  EXPECT_FALSE(listed.headers.has("mcp-session-id"));
  Headers old = modern("tools/list");
  old.set("MCP-Protocol-Version", "2030-01-01");
  Reply refused = co_await post(api, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", old);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.at({"error", "code"}), "-32022");
  EXPECT_EQ(refused.at({"error", "data", "supported", "0"}), "2026-07-28");
  std::string none =
      R"({"jsonrpc":"2.0","id":1,"method":"none","params":{)" + std::string(kMeta) + "}}";
  Reply missing = co_await post(api, none, modern("none"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.at({"error", "code"}), "-32601");
  Reply bare =
      co_await post(api, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", modern("tools/list"));
  EXPECT_EQ(bare.status, 400);
  EXPECT_EQ(bare.at({"error", "code"}), "-32602");
}
TEST(McpRoutes, EveryVersionIsServedAsItPrescribes) { with_api(versions, wish()); }

Task<void> bad_messages(Api* api) {
  Headers session = co_await begin(api);
  EXPECT_EQ((co_await post(api, "{", session)).at({"error", "code"}), "-32700");
  EXPECT_EQ((co_await post(api, "[{}]", session)).at({"error", "code"}), "-32600");
  Headers text = session;
  text.set("Content-Type", "text/plain");
  EXPECT_EQ((co_await post(api, "{}", text)).status, 415);
  Headers html = session;
  html.set("Accept", "text/html");
  EXPECT_EQ((co_await post(api, "{}", html)).status, 406);
  EXPECT_EQ((co_await post(api, call("none", "{}"), session)).at({"error", "code"}), "-32602");
  EXPECT_EQ((co_await post(api, call("run_code", "[]"), session)).at({"error", "code"}), "-32602");
  Reply wrong =
      co_await post(api, call("run_command", R"({"command":"true","timeout":1e308})"), session);
  EXPECT_EQ(wrong.at({"result", "structuredContent", "status"}), "error") << wrong.body;
  for (std::string_view arguments :
       {R"({"path":"x","offset":-1})", R"({"path":"x","offset":18446744073709551616})",
        R"({"path":"x","limit":1e30})", R"({"path":7})"}) {
    Reply reply = co_await post(api, call("file_read", arguments), session);
    EXPECT_EQ(reply.at({"result", "isError"}), "true") << reply.body;
  }
  EXPECT_EQ((co_await post(api, std::string(2u << 20, ' '), session)).status, 413);
}
TEST(McpRoutes, BadMessagesGetTheirErrors) { with_api(bad_messages, wish()); }

Task<void> batches(Api* api) {
  std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
                      R"({"jsonrpc":"2.0","method":"notifications/initialized"},)"
                      R"({"jsonrpc":"2.0","id":2,"method":"none"},7])";
  Headers old = co_await begin(api, "2025-03-26");
  Reply reply = co_await post(api, batch, old);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.at({"0", "result"}), "{}");
  EXPECT_EQ(reply.at({"1", "error", "code"}), "-32601");
  EXPECT_EQ(reply.at({"2", "error", "code"}), "-32600");
  Headers current = co_await begin(api);
  EXPECT_EQ((co_await post(api, batch, current)).status, 400);
}
TEST(McpRoutes, OnlyOldVersionsHaveBatches) { with_api(batches, wish()); }

Task<void> into(Task<Reply> task, Reply* reply) { *reply = co_await std::move(task); }

Task<void> one_default_sandbox(Api* api) {
  Headers session = co_await begin(api);
  Reply one, two;
  async::TaskGroup group(api->executor);
  group.spawn(into(post(api, call("run_command", R"({"command":"echo a"})", "1"), session), &one));
  group.spawn(into(post(api, call("run_command", R"({"command":"echo b"})", "2"), session), &two));
  co_await group.wait_idle();
  std::string id = one.at({"result", "structuredContent", "data", "sandbox_id"});
  EXPECT_NE(id, "") << one.body;
  EXPECT_EQ(two.at({"result", "structuredContent", "data", "sandbox_id"}), id);
  Headers other = co_await begin(api);
  Reply third = co_await post(api, call("sandbox_info", "{}"), other);
  EXPECT_NE(third.at({"result", "structuredContent", "data", "sandbox_id"}), id);
  EXPECT_EQ((co_await api->call(Method::kDelete, "/mcp", "", session)).status, 204);
  Reply gone = co_await api->call(Method::kGet, "/api/v1/sessions/" + id);
  EXPECT_EQ(gone.at({"status"}), "terminated");
}
TEST(McpRoutes, ASessionHasOneSandboxWhichEndsWithIt) { with_api(one_default_sandbox, wish()); }

Task<void> cancelled(Api* api) {
  Headers session = co_await begin(api);
  co_await post(api, call("sandbox_info", "{}"), session);
  Reply reply;
  async::TaskGroup group(api->executor);
  group.spawn(into(post(api,
                        call("run_command", R"({"command":"echo on; sleep 1000"})", "\"c\"",
                             R"(,"_meta":{"progressToken":1})"),
                        session),
                   &reply));
  for (;;) {  // until the execution is there to be cancelled
    Reply again = co_await post(api, call("sandbox_list", "{}", "\"c\""), session);
    if (again.status == 400) {
      EXPECT_EQ(again.at({"error", "code"}), "-32600");  // this id is in use
      break;
    }
  }
  std::string cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                       R"("params":{"requestId":"c"}})";
  EXPECT_EQ((co_await post(api, cancel, session)).status, 202);
  co_await group.wait_idle();
  EXPECT_EQ(reply.status, 200);
  for (const boost::json::value& message : messages(reply)) {
    EXPECT_EQ(message.as_object().if_contains("result"), nullptr) << "it was cancelled";
  }
  EXPECT_EQ((co_await post(api, cancel, session)).status, 202);  // too late, and no harm
}
TEST(McpRoutes, ACancelledCallGetsNoAnswer) { with_api(cancelled, wish()); }

std::optional<std::string> always_ask(const control::Caller&, const control::ExecuteRequest&) {
  return "May this run?";
}

Task<Reply> ask_modern(Api* api, std::string_view capabilities, std::string_view more,
                       std::string_view command = "echo hi") {
  std::string meta(kMeta);
  meta.replace(meta.rfind("{}"), 2, capabilities);
  std::string arguments = R"({"command":")" + std::string(command) + "\"}";
  co_return co_await post(api, call("run_command", arguments, "7", "," + meta + std::string(more)),
                          modern("tools/call", "run_command"));
}

Task<void> modern_approval(Api* api) {
  Reply cannot = co_await ask_modern(api, "{}", "");
  EXPECT_EQ(cannot.status, 400);
  EXPECT_EQ(cannot.at({"error", "code"}), "-32021");
  std::string can = R"({"elicitation":{}})";
  auto answer = [&](const Reply& asked, std::string_view action) {
    return R"(,"requestState":")" + asked.at({"result", "requestState"}) +
           R"(","inputResponses":{"approval":{"action":")" + std::string(action) + "\"}}";
  };
  Reply asked = co_await ask_modern(api, can, "");
  EXPECT_EQ(asked.at({"result", "resultType"}), "input_required") << asked.body;
  std::string yes = answer(asked, "accept");
  Reply other = co_await ask_modern(api, can, yes, "echo other");
  EXPECT_EQ(other.at({"result", "resultType"}), "input_required") << "another command";
  Reply ran = co_await ask_modern(api, can, yes);
  EXPECT_EQ(ran.at({"result", "structuredContent", "data", "stdout"}), "hi\n") << ran.body;
  Reply again = co_await ask_modern(api, can, yes);
  EXPECT_EQ(again.at({"result", "resultType"}), "input_required") << "it counts once";
  Reply no = co_await ask_modern(api, can, answer(again, "decline"));
  EXPECT_EQ(no.at({"result", "structuredContent", "status"}), "rejected");
}
TEST(McpRoutes, AModernClientIsAskedByItsResult) { with_api(modern_approval, wish(always_ask)); }

// Reads the stream of a call, answers the question in it, and gives the last message.
Task<boost::json::value> answer_question(Api* api, Headers session, std::string action,
                                         std::string command = "echo hi") {
  http::ClientRequest request{.method = Method::kPost, .target = "/mcp"};
  request.headers = session;
  request.headers.set("Accept", "application/json, text/event-stream");
  request.headers.set("Content-Type", "application/json");
  request.body = call("run_command", R"({"command":")" + command + "\"}");
  auto response = co_await api->client->send(std::move(request));
  http::SseReader reader;
  boost::json::value last;
  std::string buffer(4096, '\0');
  for (;;) {
    auto got = co_await response->read_some(buffer);
    if (!got || *got == 0) co_return last;
    EXPECT_TRUE(reader.feed(std::string_view(buffer).substr(0, *got)));
    while (auto event = reader.next()) {
      if (event->data.empty()) continue;
      last = *codec::parse(event->data);
      const auto* method = last.as_object().if_contains("method");
      if (method == nullptr) continue;
      EXPECT_EQ(*method, boost::json::value("elicitation/create"));
      std::string answer = R"({"jsonrpc":"2.0","id":)" + codec::serialize(last.at("id")) +
                           R"(,"result":{"action":")" + action + "\"}}";
      EXPECT_EQ((co_await post(api, answer, session)).status, 202);
    }
  }
}

Task<void> legacy_approval(Api* api) {
  Headers session = co_await begin(api, "2025-11-25", R"({"elicitation":{}})");
  boost::json::value yes = co_await answer_question(api, session, "accept");
  EXPECT_EQ(yes.at("result").at("structuredContent").at("data").at("stdout"),
            boost::json::value("hi\n"));
  boost::json::value no = co_await answer_question(api, session, "decline");
  EXPECT_EQ(no.at("result").at("structuredContent").at("status"), boost::json::value("rejected"));
  Headers mute = co_await begin(api);
  Reply cannot = co_await post(api, call("run_command", R"({"command":"echo hi"})"), mute);
  EXPECT_EQ(cannot.at({"result", "structuredContent", "status"}), "rejected") << cannot.body;
}
TEST(McpRoutes, ALegacyClientIsAskedWhileItWaits) { with_api(legacy_approval, wish(always_ask)); }

constexpr const char* kRisky = "eval 'echo hi'";

std::string status_of(const Reply& reply) {
  return reply.at({"result", "structuredContent", "status"});
}

Task<Reply> run_risky(Api* api, Headers session) {
  std::string arguments = R"({"command":")" + std::string(kRisky) + "\"}";
  co_return co_await post(api, call("run_command", arguments), std::move(session));
}

Task<void> asks_by_default(Api* api) {
  Headers mute = co_await begin(api);
  Reply safe = co_await post(api, call("run_command", R"({"command":"echo hi"})"), mute);
  EXPECT_EQ(status_of(safe), "success") << safe.body;
  Reply cannot = co_await run_risky(api, mute);
  EXPECT_EQ(status_of(cannot), "rejected") << cannot.body;
  std::string code = R"x({"code":"eval('6 * 7')","language":"py"})x";
  Reply python = co_await post(api, call("run_code", code), mute);
  EXPECT_EQ(status_of(python), "rejected") << python.body;
  Headers can = co_await begin(api, "2025-11-25", R"({"elicitation":{}})");
  boost::json::value yes = co_await answer_question(api, can, "accept", kRisky);
  EXPECT_EQ(yes.at("result").at("structuredContent").at("data").at("stdout"), "hi\n");
  boost::json::value no = co_await answer_question(api, can, "decline", kRisky);
  EXPECT_EQ(no.at("result").at("structuredContent").at("status"), "rejected");
}
TEST(McpRoutes, RiskyCodeIsAskedForWhereNoPolicyIsSet) { with_api(asks_by_default, wish()); }

Task<void> allowed(Api* api) {
  Headers mute = co_await begin(api);
  EXPECT_EQ(status_of(co_await run_risky(api, mute)), "success");
}
TEST(McpRoutes, APolicyThatAllowsAsksNobody) {
  ApiWish open = wish();
  open.control.code.levels = {.high = model::RiskAction::kAllow,
                              .critical = model::RiskAction::kAllow};
  with_api(allowed, std::move(open));
}

// Where the policy asks, it asks others than the client.
Task<void> asked_elsewhere(Api* api) {
  Headers can = co_await begin(api, "2025-11-25", R"({"elicitation":{}})");
  for (std::string_view decision : {"approve", "reject"}) {
    Reply reply;
    async::TaskGroup group(api->executor);
    group.spawn(into(run_risky(api, can), &reply));
    std::string id;
    while (id.empty()) {
      Reply waiting = co_await api->call(Method::kGet, "/api/v1/approvals");
      id = waiting.at({"approvals", "0", "id"});
    }
    Reply done = co_await api->call(Method::kPost, "/api/v1/approvals/" + id,
                                    R"({"decision":")" + std::string(decision) + "\"}");
    EXPECT_EQ(done.status, 200) << done.body;
    co_await group.wait_idle();
    EXPECT_EQ(messages(reply).back().at("result").at("structuredContent").at("status"),
              decision == "approve" ? "success" : "rejected")
        << reply.body;
  }
}
TEST(McpRoutes, APolicyThatAsksIsAnsweredByOthers) {
  ApiWish asking = wish();
  asking.control.code.levels = {.high = model::RiskAction::kAsk};
  with_api(asked_elsewhere, std::move(asking));
}

Task<Headers> person(Api* api, model::Role role) {
  auto made = co_await api->control->keys().create({}, {.role = role});
  EXPECT_TRUE(made.has_value());
  Headers headers{{"X-API-Key", made->secret}};
  co_return headers;
}

Task<void> keys(Api* api) {
  EXPECT_EQ((co_await post(api, initialize("2025-11-25"))).status, 401);
  Headers owner = co_await person(api, model::Role::kOwner);
  Headers reader = co_await person(api, model::Role::kReadOnly);
  Headers user = co_await person(api, model::Role::kUser);
  Reply begun = co_await post(api, initialize("2025-11-25"), owner);
  std::string id(begun.headers.get("mcp-session-id"));
  owner.set("Mcp-Session-Id", id);
  user.set("Mcp-Session-Id", id);
  std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
  EXPECT_EQ((co_await post(api, ping, owner)).status, 200);
  EXPECT_EQ((co_await post(api, ping, user)).status, 404) << "the session of another key";
  Reply read = co_await post(api, initialize("2025-11-25"), reader);
  reader.set("Mcp-Session-Id", read.headers.get("mcp-session-id"));
  for (std::string_view tool : {"run_code", "sandbox_create", "sandbox_kill", "audit_query"}) {
    Reply refused = co_await post(api, call(tool, R"({"code":"1"})"), reader);
    EXPECT_EQ(refused.at({"result", "structuredContent", "error", "code"}), "forbidden") << tool;
  }
  Reply listed = co_await post(api, call("sandbox_list", "{}"), reader);
  EXPECT_EQ(listed.at({"result", "isError"}), "false") << listed.body;
}
TEST(McpRoutes, KeysSayWhoMayDoWhat) {
  ApiWish with_keys = wish();
  with_keys.keys = true;
  with_api(keys, std::move(with_keys));
}

Task<void> foreign_pages(Api* api) {
  Headers page{{"Origin", "https://evil.example"}};
  EXPECT_EQ((co_await post(api, initialize("2025-11-25"), page)).status, 403);
  Headers rebound{{"Host", "evil.example"}};
  EXPECT_EQ((co_await post(api, initialize("2025-11-25"), rebound)).status, 403);
}
TEST(McpRoutes, PagesOfOtherOriginsStayOutside) { with_api(foreign_pages, wish()); }

}  // namespace
}  // namespace atl::api::mcp
