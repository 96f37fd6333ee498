#include "api/mcp/result.hpp"

#include <cstdio>
#include <utility>

#include "api/common/text.hpp"
#include "codec/json.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

std::string_view status_name(ToolResult::Status status) {
  switch (status) {
    case ToolResult::Status::kSuccess: return "success";
    case ToolResult::Status::kError: return "error";
    case ToolResult::Status::kRejected: return "rejected";
  }
  return "error";
}

json::object text_content(std::string_view text) {
  return {{"type", "text"}, {"text", json_text(text)}};
}

}  // namespace

ToolResult error_result(const Refusal& refusal) {
  std::string message = refusal.error.message();
  bool says_where = !refusal.at || message.contains(*refusal.at);
  if (!says_where) message = *refusal.at + ": " + message;
  std::string code =
      refusal.code.empty() ? std::string(code_name(refusal.error.code())) : refusal.code;
  ToolResult result{
      .status = ToolResult::Status::kError, .summary = message, .text = code + ": " + message};
  result.error = Error(refusal.error.code(), std::move(message));
  return result;
}

ToolResult rejected_result(std::string summary) {
  return {.status = ToolResult::Status::kRejected, .summary = std::move(summary)};
}

json::object result_view(ToolResult result) {
  json::array content;
  if (!result.notice.empty()) content.emplace_back(text_content(result.notice));
  std::string text = std::move(result.text);
  if (text.empty()) {
    text = result.summary;
    if (!result.data.empty()) text += "\n" + codec::serialize(result.data);
  }
  content.emplace_back(text_content(text));
  for (json::value& one : result.pictures) content.push_back(std::move(one));
  json::object structured{{"status", status_name(result.status)},
                          {"summary", json_text(result.summary)},
                          {"data", std::move(result.data)}};
  if (!result.notice.empty()) structured["notice"] = json_text(result.notice);
  if (result.error) {
    structured["error"] = {{"code", code_name(result.error->code())},
                           {"message", json_text(result.error->message())}};
  }
  return {{"content", std::move(content)},
          {"structuredContent", std::move(structured)},
          {"isError", result.status != ToolResult::Status::kSuccess}};
}

json::object picture(std::string base64, std::string_view mime_type) {
  return {{"type", "image"}, {"data", std::move(base64)}, {"mimeType", mime_type}};
}

std::string timeout_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "Execution timeout (%gs)", seconds);
  return text;
}

}  // namespace atl::api::mcp
