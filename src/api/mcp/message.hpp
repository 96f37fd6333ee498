// JSON-RPC 2.0 as MCP has it: from bytes that anybody sent to messages, and from answers to
// objects. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/expected.hpp"

namespace atl::api::mcp {

// Of the protocol; those below -32000 are JSON-RPC's own.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // until 2025-11-25
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

inline constexpr std::size_t kMaxNesting = 64;
inline constexpr std::size_t kMaxBatch = 64;
inline constexpr std::size_t kMaxId = 256;
inline constexpr std::size_t kMaxMethod = 128;

// Why a message, or a request, gets an error for an answer.
struct Fault {
  int code = kInternalError;
  std::string message;
  boost::json::value data = nullptr;  // null: none
  int status = 200;                   // of HTTP, where the whole answer is this error
};

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kNotification;
  boost::json::value id = nullptr;  // a string or an integer, but for notifications
  std::string method;               // none in a response
  boost::json::object params;
  boost::json::value result = nullptr;  // of a response
  bool failed = false;                  // a response that is an error
};

struct BadMessage {
  Fault fault;
  boost::json::value id = nullptr;  // null when it could not be read
};

using Decoded = std::expected<Message, BadMessage>;

struct Incoming {
  bool batch = false;
  std::vector<Decoded> messages;  // exactly one unless it is a batch
};

// A body, or a line of stdio. An error: it is no JSON, or a batch that is empty or too long.
std::expected<Incoming, BadMessage> read_messages(std::string_view text);

// An id, or a progress token: a string of at most kMaxId bytes, or an integer.
bool is_id(const boost::json::value& value);
// The same number or the same string; 1 and 1.0 are the same.
std::string id_text(const boost::json::value& id);

boost::json::object answer_of(const boost::json::value& id, boost::json::object result);
boost::json::object answer_of(const boost::json::value& id, const Fault& fault);
boost::json::object notification(std::string_view method, boost::json::object params);
boost::json::object request(std::string_view id, std::string_view method,
                            boost::json::object params);

}  // namespace atl::api::mcp
