// What answers say: control's records as JSON, as contract §3 has them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "control/control.hpp"
#include "model/audit.hpp"
#include "model/execution.hpp"
#include "model/file.hpp"
#include "model/session.hpp"
#include "model/snapshot.hpp"
#include "model/template.hpp"

namespace atl::api::rest {

using boost::json::object;

object session_view(const model::Session& session);
// Without stdout, stderr and output unless `with_output`.
object execution_view(const model::Execution& execution, bool with_output = true);
// The `error` of an execution: code and message, and of code that raised ename, evalue, traceback.
boost::json::value execution_error(const model::Execution& execution);
object context_view(const control::ContextView& context, const SessionId& session_id);
object template_view(const model::Template& recipe);
object key_view(const model::Key& key);
object snapshot_view(const model::Snapshot& snapshot);
object audit_view(const model::AuditRow& row);
object usage_view(const control::SessionUsage& usage);
std::string octal_mode(std::uint32_t mode);  // 0644
object file_view(const model::File& file);
object process_view(const model::Process& process);
object event_view(const control::LifeEvent& event);

boost::json::string json_text(std::string_view bytes);  // U+FFFD for what is no UTF-8

}  // namespace atl::api::rest
