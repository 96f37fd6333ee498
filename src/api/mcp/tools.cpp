#include "api/mcp/tools.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace atl::api::mcp {

namespace {

constexpr std::array kTools{
    ToolEntry{"run_code", run_code},
    ToolEntry{"run_command", run_command},
    ToolEntry{.name = "process_poll", .run = process_poll, .writes = false},
    ToolEntry{"process_input", process_input},
    ToolEntry{"process_kill", process_kill},
    ToolEntry{.name = "file_read", .run = file_read, .writes = false},
    ToolEntry{"file_write", file_write},
    ToolEntry{"file_edit", file_edit},
    ToolEntry{.name = "file_list", .run = file_list, .writes = false},
    ToolEntry{.name = "file_search", .run = file_search, .writes = false},
    ToolEntry{"sandbox_create", sandbox_create},
    ToolEntry{.name = "sandbox_list", .run = sandbox_list, .writes = false},
    ToolEntry{.name = "sandbox_info", .run = sandbox_info, .writes = false},
    ToolEntry{"sandbox_kill", sandbox_kill},
    ToolEntry{"sandbox_pause", sandbox_pause},
    ToolEntry{"sandbox_resume", sandbox_resume},
    ToolEntry{"expose_port", expose_port},
    ToolEntry{.name = "audit_query", .run = audit_query, .writes = false, .admin = true},
};

boost::json::array parse_tools() {
  auto document = codec::parse(tools_json(), {.max_bytes = 1u << 20, .max_depth = 64});
  return document->at("tools").as_array();
}

}  // namespace

const ToolEntry* find_tool(std::string_view name) {
  const auto* found = std::ranges::find(kTools, name, &ToolEntry::name);
  return found == kTools.end() ? nullptr : found;
}

const boost::json::array& tool_list() {
  static const boost::json::array kList = parse_tools();
  return kList;
}

Answer<void> check_words(const std::string& text, std::string_view at, std::size_t longest) {
  if (text.size() > longest) {
    return refuse_value(std::string(at), "is longer than " + std::to_string(longest) + " bytes");
  }
  if (text.contains('\0')) return refuse_value(std::string(at), "must not contain NUL");
  return {};
}

Answer<void> check_words(const std::optional<std::string>& text, std::string_view at,
                         std::size_t longest) {
  return text ? check_words(*text, at, longest) : Answer<void>();
}

Answer<std::uint64_t> number_or(std::optional<std::uint64_t> given, std::uint64_t absent,
                                std::uint64_t least, std::uint64_t most, std::string_view at) {
  std::uint64_t number = given.value_or(absent);
  if (number >= least && number <= most) return number;
  return refuse_value(std::string(at),
                      "must be from " + std::to_string(least) + " to " + std::to_string(most));
}

Task<Answer<Target>> target_of(CallPtr call, std::optional<std::string> sandbox_id) {
  if (sandbox_id) {
    ATOLL_CO_CHECK(check_words(*sandbox_id, "/sandbox_id", kMaxName));
    co_return Target{.id = SessionId(std::move(*sandbox_id)), .notice = {}};
  }
  auto& sandboxes = call->control().default_sandboxes();
  if (!call->caller.may_write()) {
    auto found = sandboxes.find(call->caller, call->sandbox);
    if (found) co_return Target{.id = std::move(*found), .notice = {}};
    co_return refuse(Code::kForbidden, "this key is read-only: name a sandbox_id");
  }
  ATOLL_CO_TRY(control::DefaultSandbox sandbox,
               co_await sandboxes.get(call->caller, call->sandbox));
  Target target{.id = std::move(sandbox.id), .notice = {}};
  if (sandbox.instead) {
    target.notice = "The sandbox " + sandbox.instead->str() + " has ended. This is a new one, " +
                    target.id.str() + ": variables and processes of the old one are gone" +
                    (call->sandbox.lasting ? "." : ", and so are its files.");
  }
  co_return target;
}

Answer<SessionId> existing_target(const Call& call, const std::optional<std::string>& sandbox_id) {
  if (sandbox_id) {
    ATOLL_CHECK(check_words(*sandbox_id, "/sandbox_id", kMaxName));
    return SessionId(*sandbox_id);
  }
  auto found = call.control().default_sandboxes().find(call.caller, call.sandbox);
  if (!found) return refuse(Code::kNotFound, "there is no sandbox yet");
  return std::move(*found);
}

}  // namespace atl::api::mcp
