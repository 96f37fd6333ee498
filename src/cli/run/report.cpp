#include "cli/run/report.hpp"

#include "cli/core/bytes.hpp"
#include "cli/core/json.hpp"
#include "codec/base64.hpp"

namespace atl::cli {
namespace {

void output_fields(JsonWriter& json, std::string_view name, const std::string& bytes) {
  json.key(name).text(bytes);
  if (!is_utf8(bytes)) json.key(std::string(name) + "_b64").text(codec::base64(bytes));
}

}  // namespace

std::string report_json(const RunReport& report, bool pretty) {
  JsonWriter json(pretty);
  const sandbox::ExitStatus& status = report.status;
  json.begin_object();
  json.key("exit_code").number(report.exit_code);
  output_fields(json, "stdout", report.stdout_bytes);
  output_fields(json, "stderr", report.stderr_bytes);
  json.key("duration_ms").thousandths(status.wall.count());
  json.key("cpu_ms").thousandths((status.cpu_user + status.cpu_system).count());
  json.key("max_rss").unsigned_number(status.max_rss_bytes);
  json.key("oom").boolean(status.oom);
  json.key("timed_out").boolean(status.timed_out);
  json.key("truncated").boolean(report.truncated || status.truncated);
  json.key("isolation").begin_object();
  json.key("layers").strings(report.isolation.layers);
  json.key("missing").strings(report.isolation.missing);
  json.end_object();
  json.key("error");
  if (report.error) {
    json.begin_object();
    json.key("code").text(code_name(report.error->code()));
    json.key("message").text(report.error->message());
    json.end_object();
  } else {
    json.null();
  }
  json.end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
