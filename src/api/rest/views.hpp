// Answers: control's records as the bodies that clients get, as contract §3 has them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "bodies/execution.hpp"
#include "bodies/files.hpp"
#include "bodies/server.hpp"
#include "bodies/session.hpp"
#include "bodies/template.hpp"
#include "control/control.hpp"
#include "model/audit.hpp"
#include "model/execution.hpp"
#include "model/file.hpp"
#include "model/session.hpp"
#include "model/snapshot.hpp"
#include "model/template.hpp"

namespace atl::api::rest {

using boost::json::object;

bodies::SessionBody session_view(const model::Session& session);
// Without stdout, stderr and output unless `with_output`.
bodies::ExecutionBody execution_view(const model::Execution& execution, bool with_output = true);
// The `error` of an execution; empty when it did not fail.
bodies::Nullable<bodies::ExecutionErrorBody> execution_error(const model::Execution& execution);
bodies::ContextBody context_view(const control::ContextView& context, const SessionId& session_id);
bodies::TemplateBody template_view(const model::Template& origin);
bodies::KeyBody key_view(const model::Key& key);
bodies::SnapshotBody snapshot_view(const model::Snapshot& snapshot);
bodies::AuditRowBody audit_view(const model::AuditRow& row);
bodies::UsageBody usage_view(const control::SessionUsage& usage);
std::string octal_mode(std::uint32_t mode);  // 0644
bodies::FileBody file_view(const model::File& file);
bodies::ProcessBody process_view(const model::Process& process);
bodies::LifeEventBody event_view(const control::LifeEvent& event);

bodies::Nullable<std::string> text_or_null(std::string text);  // null when it is empty
boost::json::string json_text(std::string_view bytes);         // U+FFFD for what is no UTF-8

}  // namespace atl::api::rest
