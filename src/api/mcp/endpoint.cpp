// /mcp over HTTP: one message, or a batch of old clients, a POST. The handler of the request is the
// only one that writes to the client; what the call wants to say goes through its outbox.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/middleware.hpp"
#include "api/common/prefer.hpp"
#include "api/common/preview_cookie.hpp"
#include "api/mcp/call.hpp"
#include "api/mcp/run_call.hpp"
#include "codec/json.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;
using std::chrono::steady_clock;

constexpr std::string_view kSessionField = "mcp-session-id";
constexpr std::string_view kClientField = "atoll-mcp-client";
constexpr std::size_t kMaxClientField = 64;

Task<void> respond_fault(http::Exchange* exchange, Fault fault, json::value id) {
  co_await respond(exchange, fault.status == 200 ? 400 : fault.status, answer_of(id, fault));
}

bool takes_anything(const http::Headers& headers) {
  auto accept = headers.find("accept");
  return !accept || accept->contains("*/*");
}
bool takes_stream(const http::Headers& headers) {
  return takes_anything(headers) || accepts(headers, "text/event-stream");
}
bool takes_json(const http::Headers& headers) {
  return takes_anything(headers) || accepts(headers, "application/json");
}

// `atoll mcp` names the process that it speaks for, so that this has its sandbox whatever the era.
std::optional<std::string> process_name(const http::Headers& headers) {
  auto name = headers.find(kClientField);
  bool legal = name && !name->empty() && name->size() <= kMaxClientField &&
               std::ranges::all_of(
                   *name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
  return legal ? std::optional("mcp-process:" + std::string(*name)) : std::nullopt;
}

// A modern client has no session: its key and the name that it gives itself are all there is.
control::SandboxClient modern_client(const control::Caller& caller, const ClientInfo& client,
                                     const http::Headers& headers) {
  if (auto process = process_name(headers)) return {.name = std::move(*process), .lasting = false};
  std::string name = client.name;
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return {.name = "mcp:" + caller.key_id + ":" + name, .lasting = true};
}

// ---- legacy -------------------------------------------------------------------------------------

// While it lives, its session knows the call by its id.
class Listed {
 public:
  explicit Listed(const CallPtr& call) : session_(call->session), id_(id_text(call->message.id)) {
    session_->calls[id_] = call;
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  ~Listed() { session_->calls.erase(id_); }

 private:
  McpSessionPtr session_;
  std::string id_;
};

void cancel_call(McpSession& session, const object& params) {
  const json::value* id = params.if_contains("requestId");
  if (id == nullptr) return;
  auto found = session.calls.find(id_text(*id));
  CallPtr call = found != session.calls.end() ? found->second.lock() : nullptr;
  if (!call) return;  // it has ended meanwhile
  call->cancelled = true;
  call->changed.notify_all();
}

void take_response(McpSession& session, Message message) {
  auto found = session.questions.find(id_text(message.id));
  if (found == session.questions.end()) return;
  found->second->answer = std::move(message);
  found->second->changed.notify_all();
}

struct Post {
  McpPtr mcp;
  http::Exchange* exchange;
  control::Caller caller;
  const http::Headers& headers() const { return exchange->request().headers; }
};

CallPtr make_call(const Post& post, Message message, const RequestMeta& meta) {
  auto call = std::make_shared<Call>();
  call->mcp = post.mcp;
  call->caller = post.caller;
  call->message = std::move(message);
  call->progress_token = meta.progress_token;
  call->may_stream = takes_stream(post.headers());
  call->host = std::string(post.headers().get("host"));
  call->https = is_https(post.exchange->request());
  return call;
}

CallPtr make_legacy_call(const Post& post, const McpSessionPtr& session, Message message,
                         const RequestMeta& meta) {
  CallPtr call = make_call(post, std::move(message), meta);
  call->session = session;
  call->version = session->version;
  call->client = session->client;
  call->sandbox = session->sandbox;
  return call;
}

Task<void> begin_session(Post post, Message message) {
  const json::value* version = message.params.if_contains("protocolVersion");
  if (version == nullptr || !version->is_string()) {
    Fault fault{.code = kInvalidParams, .message = "params.protocolVersion is required"};
    co_return co_await respond(post.exchange, 200, answer_of(message.id, fault));
  }
  auto client = read_client(message.params.if_contains("clientInfo"),
                            message.params.if_contains("capabilities"));
  if (!client) {
    co_return co_await respond(post.exchange, 200, answer_of(message.id, client.error()));
  }
  std::string_view asked(version->get_string());
  std::string agreed(is_legacy(asked) ? asked : kNewestLegacy);
  McpSessionPtr session = post.mcp->sessions.make(post.caller, std::move(agreed),
                                                  std::move(*client), steady_clock::now());
  if (auto process = process_name(post.headers())) session->sandbox.name = std::move(*process);
  CallPtr call = make_legacy_call(post, session, std::move(message), {});
  co_await carry_out(call);
  co_await respond(post.exchange, call->status, call->answer, session->id);
}

Fault duplicate_id() {
  return {
      .code = kInvalidRequest, .message = "a request with this id is still running", .status = 400};
}

// A request or not: what is answered to one message of a session; null for what gets no answer.
Task<json::value> answer_in_batch(Post post, McpSessionPtr session, Decoded decoded) {
  if (!decoded) co_return answer_of(decoded.error().id, decoded.error().fault);
  Message& message = *decoded;
  if (message.kind == Message::Kind::kResponse) {
    take_response(*session, std::move(message));
    co_return nullptr;
  }
  if (message.kind == Message::Kind::kNotification) {
    if (message.method == "notifications/cancelled") cancel_call(*session, message.params);
    co_return nullptr;
  }
  if (session->calls.contains(id_text(message.id)) || message.method == "initialize") {
    co_return answer_of(message.id, duplicate_id());
  }
  auto meta = read_meta(message.params);
  if (!meta) co_return answer_of(message.id, meta.error());
  CallPtr call = make_legacy_call(post, session, std::move(message), *meta);
  call->may_stream = false;
  Listed listed(call);
  co_await carry_out(call);
  co_return call->answer;
}

Task<void> take_batch(Post post, McpSessionPtr session, std::vector<Decoded> messages) {
  json::array answers;
  for (Decoded& one : messages) {
    json::value answer = co_await answer_in_batch(post, session, std::move(one));
    if (!answer.is_null()) answers.push_back(std::move(answer));
  }
  if (answers.empty()) {
    (void)co_await post.exchange->respond({.status = 202});
  } else {
    co_await respond(post.exchange, 200, std::move(answers));
  }
}

Task<void> take_legacy(Post post, McpSessionPtr session, Message message, RequestMeta meta) {
  if (message.kind != Message::Kind::kRequest) {
    if (message.kind == Message::Kind::kResponse) {
      take_response(*session, std::move(message));
    } else if (message.method == "notifications/cancelled") {
      cancel_call(*session, message.params);
    }
    (void)co_await post.exchange->respond({.status = 202});
    co_return;
  }
  if (session->calls.contains(id_text(message.id))) {
    co_return co_await respond_fault(post.exchange, duplicate_id(), message.id);
  }
  CallPtr call = make_legacy_call(post, session, std::move(message), meta);
  Listed listed(call);
  co_await run_call(call, post.exchange);
}

// The session that the head names; an answer is given when there is none.
Task<McpSessionPtr> session_of(Post post, json::value id) {
  auto name = post.headers().find(kSessionField);
  if (!name) {
    Fault fault{.code = kInvalidRequest,
                .message =
                    "the Mcp-Session-Id header is missing: send `initialize` first, or a "
                    "protocol version that needs none",
                .status = 400};
    co_await respond_fault(post.exchange, std::move(fault), std::move(id));
    co_return nullptr;
  }
  McpSessionPtr session = post.mcp->sessions.find(post.caller, *name, steady_clock::now());
  if (!session) {
    Fault fault{.code = kInvalidRequest,
                .message = "there is no such session: send `initialize` again",
                .status = 404};
    co_await respond_fault(post.exchange, std::move(fault), std::move(id));
  }
  co_return session;
}

// ---- modern -------------------------------------------------------------------------------------

Task<void> take_modern(Post post, Message message, RequestMeta meta) {
  if (auto complete = check_modern(message, meta, post.headers()); !complete) {
    co_return co_await respond_fault(post.exchange, complete.error(), message.id);
  }
  if (message.kind == Message::Kind::kResponse) {
    Fault fault{.code = kInvalidRequest, .message = "a client sends no responses", .status = 400};
    co_return co_await respond_fault(post.exchange, std::move(fault), nullptr);
  }
  if (message.kind == Message::Kind::kNotification) {
    (void)co_await post.exchange->respond({.status = 202});
    co_return;
  }
  CallPtr call = make_call(post, std::move(message), meta);
  call->modern = true;
  call->version = kModern;
  call->client = meta.client.value_or(ClientInfo());
  call->sandbox = modern_client(post.caller, call->client, post.headers());
  co_await run_call(call, post.exchange);
}

// ---- the three methods --------------------------------------------------------------------------

bool is_json_type(const http::Headers& headers) {
  std::string_view type = headers.get("content-type");
  std::string_view name = type.substr(0, type.find(';'));
  while (name.ends_with(' ')) name.remove_suffix(1);
  return http::same_name(name, "application/json");
}

std::optional<Fault> check_head(const http::Headers& headers) {
  if (!is_json_type(headers)) {
    return Fault{
        .code = kInvalidRequest, .message = "the body must be application/json", .status = 415};
  }
  if (!takes_json(headers) && !takes_stream(headers)) {
    return Fault{.code = kInvalidRequest,
                 .message = "Accept must list application/json and text/event-stream",
                 .status = 406};
  }
  return std::nullopt;
}

Task<void> take_one(Post post, Message message) {
  auto meta = read_meta(message.params);
  if (!meta) {
    Fault fault = meta.error();
    co_return co_await respond_fault(post.exchange, std::move(fault), message.id);
  }
  // A probe for the era comes without anything else.
  bool modern = is_modern(*meta, post.headers()) || message.method == "server/discover";
  if (modern) co_return co_await take_modern(post, std::move(message), std::move(*meta));
  if (message.method == "initialize" && message.kind == Message::Kind::kRequest) {
    co_return co_await begin_session(post, std::move(message));
  }
  McpSessionPtr session = co_await session_of(post, message.id);
  if (session) co_await take_legacy(post, session, std::move(message), std::move(*meta));
}

Task<void> take_post(McpPtr mcp, http::Exchange* exchange) {
  Post post{mcp, exchange, caller_of(*exchange)};
  if (auto fault = check_head(post.headers())) {
    co_return co_await respond_fault(exchange, std::move(*fault), nullptr);
  }
  Result<std::string> text = co_await exchange->read_body(mcp->options.body_bytes);
  if (!text) {
    bool large = text.error().code() == Code::kTooLarge;
    Fault fault{.code = kInvalidRequest,
                .message = large ? "the message is too large" : "the body was cut",
                .status = large ? 413 : 400};
    co_return co_await respond_fault(exchange, std::move(fault), nullptr);
  }
  auto incoming = read_messages(*text);
  text->clear();
  if (!incoming) {
    co_return co_await respond_fault(exchange, incoming.error().fault, incoming.error().id);
  }
  if (!incoming->batch) {
    Decoded& one = incoming->messages.front();
    if (!one) co_return co_await respond_fault(exchange, one.error().fault, one.error().id);
    co_return co_await take_one(post, std::move(*one));
  }
  auto name = post.headers().find(kSessionField);
  McpSessionPtr session =
      name ? mcp->sessions.find(post.caller, *name, steady_clock::now()) : nullptr;
  if (!session || !has_batches(session->version)) {
    Fault fault{.code = kInvalidRequest,
                .message = "this version of the protocol has no batches: send one message",
                .status = 400};
    co_return co_await respond_fault(exchange, std::move(fault), nullptr);
  }
  co_await take_batch(post, session, std::move(incoming->messages));
}

// No stream of its own for what the server wants to say: it only ever answers.
Task<void> take_get(McpPtr, http::Exchange* exchange) {
  http::Response response{.status = 405};
  response.headers.add("Allow", "POST, DELETE");
  response.headers.add("Content-Type", "application/json");
  response.body = codec::serialize(answer_of(
      nullptr, Fault{.code = kInvalidRequest, .message = "there is no stream to read: use POST"}));
  (void)co_await exchange->respond(std::move(response));
}

// The end of a session or of a process, and of the sandbox that it had.
Task<void> take_delete(McpPtr mcp, http::Exchange* exchange) {
  Post post{mcp, exchange, caller_of(*exchange)};
  auto process = process_name(post.headers());
  if (post.headers().has(kSessionField)) {
    McpSessionPtr session = co_await session_of(post, nullptr);
    if (!session) co_return;
    mcp->sessions.remove(session->id);
    co_await mcp->control.default_sandboxes().end(post.caller, session->sandbox);
  } else if (!process) {
    co_return co_await take_get(mcp, exchange);
  }
  if (process) {
    co_await mcp->control.default_sandboxes().end(post.caller,
                                                  {.name = std::move(*process), .lasting = false});
  }
  (void)co_await exchange->respond({.status = 204});
}

}  // namespace

void add_mcp_routes(http::Router& router, control::Control& control, const McpOptions& options) {
  auto mcp = std::make_shared<Mcp>(control, options);
  using http::Access;
  using http::Method;
  router.add(Method::kPost, "/mcp",
             [mcp](http::Exchange& exchange) { return take_post(mcp, &exchange); },
             {.name = "mcp", .access = Access::kReader});
  router.add(Method::kGet, "/mcp",
             [mcp](http::Exchange& exchange) { return take_get(mcp, &exchange); },
             {.name = "mcpStream", .access = Access::kReader});
  router.add(Method::kDelete, "/mcp",
             [mcp](http::Exchange& exchange) { return take_delete(mcp, &exchange); },
             {.name = "mcpEnd", .access = Access::kReader});
}

}  // namespace atl::api::mcp
