// The tools: a table of names and functions. tools.json describes them for clients.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/common/limits.hpp"
#include "api/mcp/call.hpp"
#include "api/mcp/result.hpp"
#include "codec/json.hpp"

namespace atl::api::mcp {

using Tool = Task<Answer<ToolResult>> (*)(CallPtr call, object arguments);

struct ToolEntry {
  std::string_view name;
  Tool run;
  bool writes = true;  // not for keys that only read
  bool admin = false;
};
const ToolEntry* find_tool(std::string_view name);

// tools.json, as it is.
std::string_view tools_json();
// Its member `tools`.
const boost::json::array& tool_list();

// Members that the tool does not know are passed over; those without std::optional are required.
template <typename T>
Answer<T> read_arguments(const object& arguments) {
  codec::Decoded<T> decoded = codec::decode_value<T>(arguments, {.ignore_unknown = true});
  if (!decoded) return std::unexpected<Refusal>(std::move(decoded).error());
  return std::move(*decoded);
}

// At most so many bytes and no NUL.
Answer<void> check_words(const std::string& text, std::string_view at, std::size_t longest);
Answer<void> check_words(const std::optional<std::string>& text, std::string_view at,
                         std::size_t longest);
// From `least` to `most`, or the default.
Answer<std::uint64_t> number_or(std::optional<std::uint64_t> given, std::uint64_t absent,
                                std::uint64_t least, std::uint64_t most, std::string_view at);

// Where a call works.
struct Target {
  SessionId id;
  std::string notice;  // it is another one than last time
};
// The sandbox that the client names, or its own, which is made when there is none.
Task<Answer<Target>> target_of(CallPtr call, std::optional<std::string> sandbox_id);
// The same, but nothing is made: kNotFound where there is none.
Answer<SessionId> existing_target(const Call& call, const std::optional<std::string>& sandbox_id);

Task<Answer<ToolResult>> run_code(CallPtr call, object arguments);
Task<Answer<ToolResult>> run_command(CallPtr call, object arguments);
Task<Answer<ToolResult>> process_poll(CallPtr call, object arguments);
Task<Answer<ToolResult>> process_input(CallPtr call, object arguments);
Task<Answer<ToolResult>> process_kill(CallPtr call, object arguments);
Task<Answer<ToolResult>> file_read(CallPtr call, object arguments);
Task<Answer<ToolResult>> file_write(CallPtr call, object arguments);
Task<Answer<ToolResult>> file_edit(CallPtr call, object arguments);
Task<Answer<ToolResult>> file_list(CallPtr call, object arguments);
Task<Answer<ToolResult>> file_search(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_create(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_list(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_info(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_kill(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_pause(CallPtr call, object arguments);
Task<Answer<ToolResult>> sandbox_resume(CallPtr call, object arguments);
Task<Answer<ToolResult>> expose_port(CallPtr call, object arguments);
Task<Answer<ToolResult>> audit_query(CallPtr call, object arguments);

}  // namespace atl::api::mcp
