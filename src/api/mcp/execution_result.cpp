// An execution as the answer of a tool.
#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "api/mcp/execute.hpp"
#include "api/mcp/output.hpp"
#include "api/rest/execution_body.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"
#include "control/tool_text.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;
using model::ExecutionState;

constexpr std::size_t kMaxPictures = 8;
constexpr std::size_t kMaxPictureBytes = 8u << 20;  // of all of them, as base64
constexpr std::size_t kMaxResults = 32;
constexpr std::size_t kMaxResultText = 10'000;
constexpr std::array<std::string_view, 4> kPictureTypes{"image/png", "image/jpeg", "image/gif",
                                                        "image/webp"};
constexpr std::string_view kSvg = "image/svg+xml";

bool is_running(ExecutionState state) { return !model::is_final(state); }

bool succeeded(const model::Execution& row) {
  return row.state == ExecutionState::kCompleted && row.error_code.empty() &&
         row.exit_code.value_or(0) == 0;
}

std::string summary_of(const model::Execution& row, double seconds) {
  switch (row.state) {
    case ExecutionState::kQueued: return "Waiting for its turn";
    case ExecutionState::kAwaitingApproval: return "Waiting for approval";
    case ExecutionState::kRunning: return "Running";
    case ExecutionState::kTimedOut:
      return seconds > 0 ? timeout_text(seconds) : "Execution timeout";
    case ExecutionState::kCancelled: return "Execution cancelled";
    case ExecutionState::kRejected:
      return row.error_message.empty() ? "Execution rejected"
                                       : "Execution rejected: " + row.error_message;
    case ExecutionState::kCompleted:
    case ExecutionState::kFailed: break;
  }
  if (!row.error_message.empty()) return row.error_message;
  if (succeeded(row)) return "Execution succeeded";
  return "Execution failed with exit code " + std::to_string(row.exit_code.value_or(1));
}

// Base64 as notebooks write it has line feeds.
std::string without_blanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return static_cast<unsigned char>(c) > ' '; });
  return out;
}

class Shows {
 public:
  explicit Shows(ToolResult& result) : result_(result) {}

  // One MIME bundle: pictures become content, the rest stays data.
  void take(const json::object& shown) {
    const json::value* data = shown.if_contains("data");
    if (data == nullptr || !data->is_object() || results_.size() >= kMaxResults) return;
    json::object kept;
    for (const auto& [type, value] : data->get_object()) {
      const json::string* text = value.if_string();
      std::string_view content = text != nullptr ? std::string_view(*text) : std::string_view();
      if (text != nullptr && take_picture(type, content)) continue;
      if (content.size() > kMaxResultText) {
        json::string cut = json_text(content.substr(0, kMaxResultText));
        cut.append("…");
        kept[type] = std::move(cut);
      } else if (text != nullptr || codec::serialize(value).size() <= kMaxResultText) {
        kept[type] = value;
      }
      if (type == "text/plain" && text != nullptr) remember(shown, kept[type]);
    }
    if (!kept.empty()) results_.emplace_back(std::move(kept));
  }
  json::array results() { return std::move(results_); }
  const std::string& value() const { return value_; }

 private:
  bool take_picture(std::string_view type, std::string_view content) {
    bool svg = type == kSvg;
    if (!svg && std::ranges::find(kPictureTypes, type) == kPictureTypes.end()) return false;
    std::string bytes = svg ? codec::base64(content) : without_blanks(content);
    if (result_.pictures.size() >= kMaxPictures || bytes.size() > kMaxPictureBytes - used_) {
      return true;  // dropped: it would be too much for any model
    }
    used_ += bytes.size();
    result_.pictures.emplace_back(picture(std::move(bytes), type));
    return true;
  }
  // The value of the last expression is part of the text.
  void remember(const json::object& shown, const json::value& text) {
    const json::value* is_result = shown.if_contains("is_result");
    if (is_result == nullptr || *is_result != json::value(true)) return;
    value_ = std::string(std::string_view(text.as_string()));
  }

  ToolResult& result_;
  json::array results_;
  std::string value_;
  std::size_t used_ = 0;
};

void add_results(const model::Execution& row, ToolResult& result, std::string& out) {
  json::value document = parsed_or_null(row.result_json);
  const json::object* members = document.if_object();
  const json::value* list = members != nullptr ? members->if_contains("results") : nullptr;
  if (list == nullptr || !list->is_array()) return;
  Shows shows(result);
  for (const json::value& one : list->get_array()) {
    if (one.is_object()) shows.take(one.get_object());
  }
  if (!shows.value().empty()) {
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    out += shows.value();
  }
  result.data["results"] = shows.results();
}

// What code raised goes behind what it printed to stderr, unless it has been printed.
void add_traceback(const model::Execution& row, std::string& err) {
  auto error = rest::execution_error(row);
  if (!error || !error->traceback || err.contains(*error->traceback)) return;
  if (!err.empty() && !err.ends_with('\n')) err += '\n';
  err += *error->traceback;
}

void say_how_to_go_on(const OutputParts& parts, ToolResult& result) {
  if (!parts.truncated()) return;
  result.text += "\n(there is more: process_poll with process_id=" +
                 std::string(result.data["process_id"].as_string()) +
                 ", stdout_offset=" + std::to_string(parts.out.next) +
                 ", stderr_offset=" + std::to_string(parts.err.next) + ")";
}

}  // namespace

Task<Answer<ToolResult>> execution_result(CallPtr call, const model::Execution* row, Shown shown) {
  ATOLL_CO_TRY(OutputParts parts,
               co_await output_parts(call->mcp, row, shown.out_from, shown.err_from));
  ToolResult result{.summary = summary_of(*row, shown.seconds)};
  object& data = result.data;
  data["sandbox_id"] = row->session_id.str();
  data["process_id"] = row->id.str();
  data["state"] = codec::enum_name(row->state);
  if (row->exit_code) data["exit_code"] = *row->exit_code;
  data["stdout"] = json_text(parts.out.text);
  data["stderr"] = json_text(parts.err.text);
  data["stdout_next"] = parts.out.next;
  data["stderr_next"] = parts.err.next;
  data["truncated"] = parts.truncated() || row->truncated;
  data["duration_ms"] = row->duration_ms;
  bool running = is_running(row->state);
  if (!running && !succeeded(*row)) {
    result.status = row->state == ExecutionState::kRejected ? ToolResult::Status::kRejected
                                                            : ToolResult::Status::kError;
    Code code =
        row->state == ExecutionState::kTimedOut ? Code::kExecTimeout : Code::kExecutionFailed;
    result.error = Error(code, result.summary);
  }
  std::string out = std::move(parts.out.text);
  std::string err = std::move(parts.err.text);
  if (shown.with_results) add_results(*row, result, out);
  if (!running) add_traceback(*row, err);
  // How it ended is the summary, unless the program ended by itself.
  bool by_itself =
      row->state == ExecutionState::kCompleted || row->state == ExecutionState::kFailed;
  if (by_itself || !out.empty() || !err.empty()) {
    result.text = control::tool_text(out, err, by_itself ? row->exit_code.value_or(0) : 0);
  }
  if (!by_itself) result.text += (result.text.empty() ? "" : "\n") + result.summary;
  say_how_to_go_on(parts, result);
  co_return result;
}

}  // namespace atl::api::mcp
