// What a tool answers, as clients read it: structured for programs, content for models. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "base/error.hpp"

namespace atl::api::mcp {

struct ToolResult {
  enum class Status { kSuccess, kError, kRejected };
  Status status = Status::kSuccess;
  std::string summary;  // one sentence
  boost::json::object data = {};
  std::string text = {};             // for the model; empty: the summary, and the data as JSON
  boost::json::array pictures = {};  // content of type image
  std::optional<Error> error = {};
  std::string notice = {};  // the sandbox is another one than before
};

ToolResult error_result(const Refusal& refusal);
ToolResult rejected_result(std::string summary);

// {content, structuredContent, isError}
boost::json::object result_view(ToolResult result);

// {type: image, data, mimeType}
boost::json::object picture(std::string base64, std::string_view mime_type);

// "Execution timeout (60s)"
std::string timeout_text(double seconds);

}  // namespace atl::api::mcp
