// The sessions of legacy clients: from `initialize` to DELETE, or until nobody has used them for
// long. They are no sandboxes; a sandbox belongs to one. On the I/O thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/mcp/message.hpp"
#include "api/mcp/protocol.hpp"
#include "async/event.hpp"
#include "control/caller.hpp"
#include "control/default_sandboxes.hpp"

namespace atl::api::mcp {

struct Call;

// What the server has asked the client, and waits for.
struct Question {
  std::optional<Message> answer;
  async::Event changed;
};

struct McpSession {
  std::string id;
  std::string tenant;
  std::string key_id;
  std::string version;
  ClientInfo client;
  control::SandboxClient sandbox;
  std::map<std::string, std::weak_ptr<Call>> calls;            // by id_text()
  std::map<std::string, std::shared_ptr<Question>> questions;  // by id_text()
  std::uint64_t next_question = 1;
  std::chrono::steady_clock::time_point used_at{};
};
using McpSessionPtr = std::shared_ptr<McpSession>;

class McpSessions {
 public:
  explicit McpSessions(std::size_t most) : most_(most) {}

  // Puts out the one that has been idle longest when there are too many.
  McpSessionPtr make(const control::Caller& caller, std::string version, ClientInfo client,
                     std::chrono::steady_clock::time_point now);
  // Null for an unknown one, and for that of another key.
  McpSessionPtr find(const control::Caller& caller, std::string_view id,
                     std::chrono::steady_clock::time_point now) const;
  void remove(const std::string& id) { sessions_.erase(id); }
  std::size_t size() const { return sessions_.size(); }

 private:
  void make_room();

  std::size_t most_;
  std::map<std::string, McpSessionPtr, std::less<>> sessions_;
};

}  // namespace atl::api::mcp
