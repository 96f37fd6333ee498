// From a method to what it does.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "api/mcp/call.hpp"
#include "api/mcp/resources.hpp"
#include "api/mcp/tools.hpp"
#include "async/deadline.hpp"
#include "codec/json.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

constexpr std::size_t kMaxOutbox = 64;
constexpr std::chrono::milliseconds kStep{500};  // of a stream that looks whether it has to end
constexpr std::uint64_t kHour = 3600 * 1000;     // ms; tools change only with the program
constexpr std::string_view kSubscription = "io.modelcontextprotocol/subscriptionId";

constexpr std::string_view kInstructions =
    "Atoll runs code and commands in isolated sandboxes. Without a sandbox_id every tool works in "
    "this client's own sandbox, which is made at first use. run_code keeps variables between "
    "calls. "
    "Files are in /workspace. Long output is cut: `truncated` says so, and process_poll or "
    "file_read "
    "give the rest.";

object server_info(const Mcp& mcp) {
  return {{"name", "atoll"}, {"title", "Atoll"}, {"version", mcp.options.version}};
}

object capabilities() { return {{"tools", object()}, {"resources", object()}}; }

std::unexpected<Fault> invalid(std::string why) {
  return std::unexpected(Fault{.code = kInvalidParams, .message = std::move(why)});
}

// For lists and reads, which modern clients may keep for a while.
Outcome cached(const Call& call, Outcome outcome, std::uint64_t ttl_ms, std::string_view scope) {
  if (outcome && call.modern) {
    (*outcome)["ttlMs"] = ttl_ms;
    (*outcome)["cacheScope"] = scope;
  }
  return outcome;
}

object discover(const Call& call) {
  json::array versions{json::value(kModern)};
  for (std::string_view one : kLegacy) versions.emplace_back(one);
  return {{"supportedVersions", std::move(versions)},
          {"capabilities", capabilities()},
          {"instructions", kInstructions},
          {"ttlMs", call.modern ? kHour : 0},
          {"cacheScope", "public"}};
}

object initialized(const Call& call) {
  return {{"protocolVersion", call.version},
          {"capabilities", capabilities()},
          {"serverInfo", server_info(*call.mcp)},
          {"instructions", kInstructions}};
}

Answer<void> check_role(const Call& call, const ToolEntry& tool) {
  if (tool.writes && !call.caller.may_write()) {
    return refuse(Code::kForbidden, "this key is read-only");
  }
  if (tool.admin && !call.caller.is_admin()) {
    return refuse(Code::kForbidden, "this needs an admin's key");
  }
  return {};
}

Task<Answer<ToolResult>> run_tool(CallPtr call, const ToolEntry* tool, object arguments) {
  ATOLL_CO_CHECK(check_role(*call, *tool));
  co_return co_await tool->run(std::move(call), std::move(arguments));
}

Task<Outcome> call_tool(CallPtr call) {
  const object& params = call->message.params;
  const json::value* name = params.if_contains("name");
  if (name == nullptr || !name->is_string()) co_return invalid("params.name is required");
  const ToolEntry* tool = find_tool(std::string_view(name->get_string()));
  if (tool == nullptr) {
    std::string_view unknown = name->get_string();
    co_return invalid("Unknown tool: " + std::string(unknown.substr(0, 100)));
  }
  object arguments;
  const json::value* given = params.if_contains("arguments");
  if (given != nullptr && !given->is_null()) {
    if (!given->is_object()) co_return invalid("params.arguments must be an object");
    arguments = given->get_object();
  }
  Answer<ToolResult> answer = co_await run_tool(call, tool, std::move(arguments));
  if (call->fault) co_return std::unexpected(*call->fault);
  if (call->asked) co_return std::move(*call->asked);
  co_return result_view(answer ? std::move(*answer) : error_result(answer.error()));
}

// Nothing here ever changes, so a subscription is acknowledged as one to nothing.
Task<Outcome> listen(CallPtr call) {
  if (!call->may_stream) co_return invalid("a subscription needs an event stream");
  object meta{{kSubscription, call->message.id}};
  call->send(notification("notifications/subscriptions/acknowledged",
                          {{"_meta", meta}, {"notifications", object()}}));
  const std::function<bool()>& draining = call->mcp->options.draining;
  while (!call->over() && !(draining && draining())) co_await async::sleep_for(kStep);
  co_return object{{"_meta", std::move(meta)}};
}

using Method = Task<Outcome> (*)(CallPtr call);

Task<Outcome> ping(CallPtr) { co_return object(); }
Task<Outcome> initialize(CallPtr call) { co_return initialized(*call); }
Task<Outcome> discover_server(CallPtr call) { co_return discover(*call); }
Task<Outcome> list_tools(CallPtr call) {
  co_return cached(*call, object{{"tools", tool_list()}}, kHour, "public");
}
Task<Outcome> cached_resources(CallPtr call) {
  Outcome outcome = co_await list_resources(call);
  co_return cached(*call, std::move(outcome), 0, "private");
}
Task<Outcome> cached_templates(CallPtr call) {
  Outcome outcome = co_await list_templates(call);
  co_return cached(*call, std::move(outcome), kHour, "public");
}
Task<Outcome> cached_content(CallPtr call) {
  Outcome outcome = co_await read_resource(call);
  co_return cached(*call, std::move(outcome), 0, "private");
}

struct MethodEntry {
  std::string_view name;
  Method run;
  bool legacy = true;
  bool modern = true;
};
constexpr std::array kMethods{
    MethodEntry{"tools/call", call_tool},
    MethodEntry{"tools/list", list_tools},
    MethodEntry{"resources/list", cached_resources},
    MethodEntry{"resources/read", cached_content},
    MethodEntry{"resources/templates/list", cached_templates},
    MethodEntry{.name = "initialize", .run = initialize, .modern = false},
    MethodEntry{.name = "ping", .run = ping, .modern = false},
    MethodEntry{.name = "server/discover", .run = discover_server, .legacy = false},
    MethodEntry{.name = "subscriptions/listen", .run = listen, .legacy = false},
};

Task<Outcome> run_method(CallPtr call) {
  const auto* found = std::ranges::find(kMethods, call->message.method, &MethodEntry::name);
  bool known = found != kMethods.end() && (call->modern ? found->modern : found->legacy);
  if (!known) {
    co_return std::unexpected(Fault{.code = kMethodNotFound,
                                    .message = "Method not found: " + call->message.method,
                                    .status = call->modern ? 404 : 200});
  }
  co_return co_await found->run(std::move(call));
}

object finished(const Call& call, object result) {
  if (!call.modern) return result;
  if (!result.contains("resultType")) result["resultType"] = "complete";
  json::value& meta = result["_meta"];
  if (!meta.is_object()) meta = object();
  meta.get_object()["io.modelcontextprotocol/serverInfo"] = server_info(*call.mcp);
  return result;
}

// However the call ends, its waiters are told.
class Done {
 public:
  explicit Done(CallPtr call) : call_(std::move(call)) {
    call_->answer =
        answer_of(call_->message.id, Fault{.code = kInternalError, .message = "Internal error"});
    call_->status = 500;
  }
  Done(const Done&) = delete;
  Done& operator=(const Done&) = delete;
  ~Done() {
    call_->done = true;
    call_->changed.notify_all();
  }

 private:
  CallPtr call_;
};

}  // namespace

Mcp::Mcp(control::Control& plane, const McpOptions& wishes)
    : control(plane), options(wishes), sessions(10'000), pool(2) {}

void Call::send(const object& message_to_client) {
  if (outbox.size() >= kMaxOutbox) return;
  outbox.push_back(codec::serialize(message_to_client));
  changed.notify_all();
}

void Call::report_progress(double done_part, std::optional<double> whole, std::string text) {
  if (progress_token.is_null() || !may_stream) return;
  object params{{"progressToken", progress_token},
                {"progress", std::round(done_part * 1000) / 1000}};
  if (whole) params["total"] = *whole;
  if (!text.empty()) params["message"] = json_text(text);
  send(notification("notifications/progress", std::move(params)));
}

Task<void> carry_out(CallPtr call) {
  Done done(call);
  Outcome outcome = co_await run_method(call);
  if (outcome) {
    call->answer = answer_of(call->message.id, finished(*call, std::move(*outcome)));
    call->status = 200;
  } else {
    call->answer = answer_of(call->message.id, outcome.error());
    call->status = outcome.error().status;
  }
}

}  // namespace atl::api::mcp
