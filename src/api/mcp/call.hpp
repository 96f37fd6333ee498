// One request on its way: who asks what, in which era, and how far it is. A coroutine of its own
// carries it out; the handler of the HTTP request alone writes to the client.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "api/mcp/approvals.hpp"
#include "api/mcp/mcp.hpp"
#include "api/mcp/message.hpp"
#include "api/mcp/protocol.hpp"
#include "api/mcp/sessions.hpp"
#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/ids.hpp"
#include "http/exchange.hpp"

namespace atl::api::mcp {

using async::Task;
using boost::json::object;

// What all requests share. Lives as long as the router.
struct Mcp {
  Mcp(control::Control& plane, const McpOptions& wishes);

  control::Control& control;
  McpOptions options;
  McpSessions sessions;
  Approvals approvals;
  async::Pool pool;  // for outputs in files
};
using McpPtr = std::shared_ptr<Mcp>;

struct Call {
  McpPtr mcp;
  control::Caller caller;
  bool modern = false;
  std::string version;
  McpSessionPtr session;  // of a legacy one
  ClientInfo client;
  control::SandboxClient sandbox;
  Message message;
  boost::json::value progress_token = nullptr;
  bool may_stream = false;  // the client takes an event stream
  std::string host;         // by which the client came
  bool https = false;

  // How far it is.
  boost::json::object answer;  // a whole JSON-RPC response, once it is done
  int status = 200;
  bool done = false;
  bool gone = false;       // the client
  bool cancelled = false;  // by notifications/cancelled
  ExecutionId execution;   // that runs for it
  std::deque<std::string> outbox;
  std::optional<Fault> fault;   // a tool's answer is an error of the protocol
  std::optional<object> asked;  // the result of a modern call that needs a person's word
  async::Event changed;         // any of these

  control::Control& control() const { return mcp->control; }
  bool over() const { return gone || cancelled; }
  // For the client, before the answer. A client that does not read misses some.
  void send(const object& message_to_client);
  void report_progress(double done_part, std::optional<double> whole, std::string text);
};
using CallPtr = std::shared_ptr<Call>;

// Answers `call`: sets answer and status, and never fails.
Task<void> carry_out(CallPtr call);

}  // namespace atl::api::mcp
