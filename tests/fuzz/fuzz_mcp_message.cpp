// Any bytes as a message of MCP: refused with an error of JSON-RPC, or read in one form, by the
// server and by what forwards to it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/mcp/message.hpp"
#include "api/mcp/protocol.hpp"
#include "client/mcp_message.hpp"
#include "codec/json.hpp"

namespace atl::fuzz {

using namespace api::mcp;

void check_fault(const Fault& fault) {
  bool known = fault.code == kParseError || fault.code == kInvalidRequest ||
               fault.code == kInvalidParams || fault.code == kHeaderMismatch ||
               fault.code == kUnsupportedVersion;
  if (!known || fault.message.empty()) std::abort();
}

void check_message(const Message& message, std::string_view text, bool alone) {
  bool request = message.kind == Message::Kind::kRequest;
  if (request && message.method.empty()) std::abort();
  if (message.kind != Message::Kind::kNotification && !is_id(message.id)) std::abort();
  if (auto meta = read_meta(message.params)) {
    http::Headers headers{{"MCP-Protocol-Version", kModern}, {"Mcp-Method", message.method}};
    if (auto checked = check_modern(message, *meta, headers); !checked) {
      check_fault(checked.error());
    }
  } else {
    check_fault(meta.error());
  }
  // What forwards it sees the same request.
  if (!alone || !request) return;
  client::McpMessage seen = client::read_mcp_message(text);
  if (!seen.is_request() || seen.method != message.method) std::abort();
}

void check(std::string_view text) {
  static_cast<void>(client::is_mcp_text(text));
  static_cast<void>(client::is_answer(text, "1"));
  static_cast<void>(client::agreed_version(text));
  if (auto decoded = from_header_value(header_value(text)); !decoded || *decoded != text) {
    std::abort();
  }
  auto incoming = read_messages(text);
  if (!incoming) return check_fault(incoming.error().fault);
  if (!incoming->batch && incoming->messages.size() != 1) std::abort();
  for (const Decoded& one : incoming->messages) {
    if (one) {
      check_message(*one, text, !incoming->batch);
    } else {
      check_fault(one.error().fault);
      // The error itself is a message that can be read.
      if (!codec::parse(codec::serialize(answer_of(one.error().id, one.error().fault)))) {
        std::abort();
      }
    }
  }
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  atl::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
