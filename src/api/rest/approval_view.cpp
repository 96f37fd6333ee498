#include "api/rest/approval_view.hpp"

#include <utility>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"
#include "control/stored_request.hpp"

namespace atl::api::rest {

namespace {

using codec::Nullable;

Nullable<std::string> text_member(const boost::json::object& shown, std::string_view name) {
  const auto* value = shown.if_contains(boost::json::string_view(name.data(), name.size()));
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return {};
  return std::string(text->data(), text->size());
}

}  // namespace

bodies::ApprovalBody approval_view(const model::ApprovalInfo& row) {
  bodies::ApprovalBody body{.id = row.id.str(),
                            .execution_id = row.id.str(),
                            .session_id = row.session_id.str(),
                            .state = row.state,
                            .level = row.level,
                            .asked_by = text_or_null(row.key_id),
                            .created_at = rfc3339(row.created_at),
                            .expires_at = rfc3339(row.expires_at),
                            .decided_at = time_or_null(row.decided_at),
                            .decided_by = text_or_null(row.decided_by),
                            .reason = text_or_null(row.reason),
                            .remembered_until = time_or_null(row.remembered_until)};
  auto findings = codec::decode<std::vector<bodies::FindingBody>>(row.findings_json);
  if (findings) body.findings = std::move(*findings);
  boost::json::value parsed = parsed_or_null(row.shown_json);
  const boost::json::object* shown = parsed.if_object();
  if (shown == nullptr) return body;
  body.language = text_member(*shown, "language");
  body.code = text_member(*shown, "code");
  body.context = text_member(*shown, "context");
  body.cwd = text_member(*shown, "cwd");
  if (const auto* command = shown->if_contains("command")) body.command = *command;
  return body;
}

bodies::ApprovalBody whole_approval_view(const model::Approval& row) {
  bodies::ApprovalBody body = approval_view(row);
  if (!row.request_json) return body;
  Result<control::ExecuteRequest> request = control::read_stored_request(*row.request_json);
  if (!request) return body;
  if (request->code) {
    body.code = to_utf8(*request->code);
  } else if (!request->argv.empty()) {
    boost::json::array words;
    for (const std::string& word : request->argv) words.emplace_back(json_text(word));
    body.command = std::move(words);
  } else {
    body.command = json_text(request->shell_command);
  }
  if (request->stdin_data) body.stdin_ = to_utf8(*request->stdin_data);
  body.env = std::move(request->env);
  body.whole = true;
  return body;
}

}  // namespace atl::api::rest
