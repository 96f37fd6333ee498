#include "api/rest/views.hpp"

#include <boost/json/array.hpp>

#include "api/rest/bodies.hpp"
#include "api/text.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

boost::json::value time_or_null(const std::optional<model::Time>& time) {
  if (!time) return nullptr;
  return json_text(rfc3339(*time));
}

boost::json::value text_or_null(std::string_view text) {
  if (text.empty()) return nullptr;
  return json_text(text);
}

boost::json::value parsed_or_null(std::string_view text) {
  if (text.empty()) return nullptr;
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 128});
  return value ? std::move(*value) : boost::json::value();
}

// The text, and the exact bytes where it had to be changed.
void put_stream(object& into, std::string_view name, std::string_view bytes) {
  into[name] = json_text(bytes);
  if (!is_utf8(bytes)) into[std::string(name) + "_b64"] = base64(bytes);
}

}  // namespace

boost::json::string json_text(std::string_view bytes) {
  if (is_utf8(bytes)) return boost::json::string(bytes.data(), bytes.size());
  std::string text = to_utf8(bytes);
  return boost::json::string(text.data(), text.size());
}

object session_view(const model::Session& session) {
  object view;
  view["id"] = json_text(session.id.str());
  view["session_id"] = json_text(session.id.str());
  view["session_key"] = text_or_null(session.session_key);
  view["template_id"] = json_text(session.template_id);
  view["runtime_node"] = json_text(session.runtime_node);
  view["backend"] = json_text(session.backend);
  view["status"] = codec::to_json(session.state);
  view["workspace"] = json_text(session.workspace);
  object config = codec::to_json(session.config).as_object();
  config.emplace("idle_timeout_seconds", nullptr);  // where it has none
  view["config"] = std::move(config);
  view["labels"] = codec::to_json(session.labels);
  view["metadata"] = parsed_or_null(session.metadata_json);
  view["isolation"] = object{{"layers", codec::to_json(session.isolation_layers)},
                             {"missing", codec::to_json(session.isolation_missing)}};
  view["created_at"] = rfc3339(session.created_at);
  view["updated_at"] = rfc3339(session.updated_at);
  view["expires_at"] = time_or_null(session.expires_at);
  view["ended_at"] = time_or_null(session.ended_at);
  if (!session.error_code.empty()) {
    // Of one that has not failed: its files could not be copied to the host.
    bool has_failed = session.state == model::SessionState::kFailed;
    view[has_failed ? "error" : "workspace_error"] = object{
        {"code", json_text(session.error_code)}, {"message", json_text(session.error_message)}};
  }
  return view;
}

boost::json::value execution_error(const model::Execution& execution) {
  if (execution.error_code.empty()) return nullptr;
  object error{{"code", json_text(execution.error_code)},
               {"message", json_text(execution.error_message)}};
  boost::json::value result = parsed_or_null(execution.result_json);
  if (const object* members = result.if_object()) {
    const boost::json::value* raised = members->if_contains("error");
    if (raised != nullptr && raised->is_object()) {
      for (const auto& member : raised->get_object()) error[member.key()] = member.value();
    }
  }
  return error;
}

object execution_view(const model::Execution& execution, bool with_output) {
  const model::ExecutionMetrics& used = execution.metrics;
  object view;
  view["session_id"] = json_text(execution.session_id.str());
  view["execution_id"] = json_text(execution.id.str());
  view["state"] = codec::to_json(execution.state);
  view["exit_code"] =
      execution.exit_code ? boost::json::value(*execution.exit_code) : boost::json::value();
  if (with_output) {
    put_stream(view, "stdout", execution.output.stdout_bytes);
    put_stream(view, "stderr", execution.output.stderr_bytes);
    view["output"] = json_text(execution.output.merged);
  }
  view["result"] = parsed_or_null(execution.result_json);
  view["success"] = execution.state == model::ExecutionState::kCompleted;
  view["error"] = execution_error(execution);
  view["metrics"] = object{{"cpu_user_ms", used.cpu_user_ms},
                           {"cpu_system_ms", used.cpu_system_ms},
                           {"memory_peak_bytes", used.memory_peak_bytes}};
  view["duration_ms"] = execution.duration_ms;
  view["timed_out"] = execution.state == model::ExecutionState::kTimedOut;
  view["truncated"] = execution.truncated;
  if (!execution.files_json.empty()) view["files"] = parsed_or_null(execution.files_json);
  view["context"] = text_or_null(execution.context_id.str());
  view["request"] = parsed_or_null(execution.request_json);
  view["created_at"] = rfc3339(execution.created_at);
  view["started_at"] = time_or_null(execution.started_at);
  view["ended_at"] = time_or_null(execution.ended_at);
  return view;
}

object context_view(const control::ContextView& context, const SessionId& session_id) {
  return {{"id", json_text(context.id.str())},
          {"session_id", json_text(session_id.str())},
          {"language", json_text(context.language)},
          {"cwd", json_text(context.cwd)},
          {"version", json_text(context.version)},
          {"is_default", context.is_default},
          {"running", context.running},
          {"waiting", context.waiting}};
}

object template_view(const model::Template& recipe) {
  object view{{"id", json_text(recipe.id)}, {"tenant", text_or_null(recipe.tenant)}};
  boost::json::value spec = codec::to_json(recipe.spec);
  for (auto& member : spec.get_object()) view[member.key()] = std::move(member.value());
  view.emplace("backend", nullptr);  // the server's
  view.emplace("ttl", nullptr);      // as sessions have it
  view["built_in"] = recipe.built_in;
  view["version"] = recipe.version;
  view["created_at"] = rfc3339(recipe.created_at);
  view["updated_at"] = rfc3339(recipe.updated_at);
  return view;
}

object key_view(const model::Key& key) {
  return {{"id", json_text(key.id)},
          {"tenant", json_text(key.tenant)},
          {"role", role_name(key.role)},
          {"name", json_text(key.name)},
          {"created_at", rfc3339(key.created_at)},
          {"revoked_at", time_or_null(key.revoked_at)}};
}

object snapshot_view(const model::Snapshot& snapshot) {
  return {{"id", json_text(snapshot.id)},
          {"snapshot_id", json_text(snapshot.id)},
          {"session_id", json_text(snapshot.session_id.str())},
          {"name", json_text(snapshot.name)},
          {"size", snapshot.size},
          {"created_at", rfc3339(snapshot.created_at)}};
}

object audit_view(const model::AuditRow& row) {
  return {{"id", json_text(row.id)},
          {"time", rfc3339(row.time)},
          {"tenant", json_text(row.tenant)},
          {"key_id", text_or_null(row.key_id)},
          {"action", codec::to_json(row.action)},
          {"outcome", json_text(row.outcome)},
          {"session_id", text_or_null(row.session_id.str())},
          {"execution_id", text_or_null(row.execution_id.str())},
          {"trace_id", text_or_null(row.trace_id)},
          {"request_id", text_or_null(row.request_id)},
          {"detail", json_text(row.detail)}};
}

object usage_view(const control::SessionUsage& usage) {
  return {{"cpu_usage_percent", codec::to_json(usage.cpu_usage_percent)},
          {"memory_usage_mb", codec::to_json(usage.memory_usage_mb)},
          {"memory_limit_mb", codec::to_json(usage.memory_limit_mb)},
          {"network_rx_bytes", usage.network_rx_bytes},
          {"network_tx_bytes", usage.network_tx_bytes},
          {"pids_current", usage.pids_current},
          {"disk_usage_mb", codec::to_json(usage.disk_usage_mb)},
          {"alerts", codec::to_json(usage.alerts)}};
}

std::string octal_mode(std::uint32_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", mode & 07777u);
  return text;
}

object file_view(const model::File& file) {
  static constexpr const char* kKinds[] = {"other", "file", "directory", "symlink"};
  std::chrono::milliseconds since(file.mtime_ns / 1'000'000);
  object view{{"name", json_text(file.path.substr(file.path.rfind('/') + 1))},
              {"path", json_text(file.path)},
              {"type", kKinds[static_cast<std::size_t>(file.kind)]},
              {"size", file.size},
              {"mode", octal_mode(file.mode)},
              {"modified_at", rfc3339(model::Time(since))}};
  if (!file.target.empty()) view["target"] = json_text(file.target);
  return view;
}

object process_view(const model::Process& process) {
  return {{"pid", process.pid},
          {"parent", process.parent},
          {"state", json_text({&process.state, 1})},
          {"memory_bytes", process.memory_bytes},
          {"cpu_ms", process.cpu_ms},
          {"command", json_text(process.command)}};
}

object event_view(const control::LifeEvent& event) {
  object view{{"event", json_text(event.event)},
              {"session_id", json_text(event.session_id)},
              {"status", json_text(event.status)},
              {"timestamp", rfc3339(event.time)}};
  if (!event.execution_id.empty()) view["execution_id"] = json_text(event.execution_id);
  return view;
}

}  // namespace atl::api::rest
