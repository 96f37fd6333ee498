#include "api/mcp/sessions.hpp"

#include <algorithm>
#include <utility>

#include "api/common/trace.hpp"
#include "base/ids.hpp"

namespace atl::api::mcp {

McpSessionPtr McpSessions::make(const control::Caller& caller, std::string version,
                                ClientInfo client, std::chrono::steady_clock::time_point now) {
  if (sessions_.size() >= most_) make_room();
  auto session = std::make_shared<McpSession>();
  session->id = make_sortable_id() + make_trace_id();  // not to be guessed
  session->tenant = caller.tenant;
  session->key_id = caller.key_id;
  session->version = std::move(version);
  session->client = std::move(client);
  session->sandbox = {.name = "mcp-session:" + session->id, .lasting = false};
  session->used_at = now;
  sessions_[session->id] = session;
  return session;
}

McpSessionPtr McpSessions::find(const control::Caller& caller, std::string_view id,
                                std::chrono::steady_clock::time_point now) const {
  auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  const McpSessionPtr& session = found->second;
  bool own = session->tenant == caller.tenant && session->key_id == caller.key_id;
  if (!own) return nullptr;
  session->used_at = now;
  return session;
}

void McpSessions::make_room() {
  auto oldest = std::ranges::min_element(sessions_, {}, [](const auto& one) {
    bool busy = !one.second->calls.empty();
    return std::pair(busy, one.second->used_at);
  });
  if (oldest != sessions_.end()) sessions_.erase(oldest);
}

}  // namespace atl::api::mcp
