// Answers: control's records as the bodies that clients get, as contract §3 has them. Sessions and
// executions have files of their own: session_body.hpp, execution_body.hpp. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "api/common/text.hpp"
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

}  // namespace atl::api::rest
