#include "api/rest/execution_events.hpp"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/views.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

using control::SpoolKind;

// {"is_result":…,"data":…}, as in the `result` of an execution.
std::string shown(bool is_result, std::string_view bundle) {
  std::string text = is_result ? R"({"is_result":true,"data":)" : R"({"is_result":false,"data":)";
  return text.append(bundle).append("}");
}

// The results that an ended execution kept, as their events were.
std::vector<std::string> kept_results(const model::Execution& execution) {
  std::vector<std::string> results;
  std::string_view text = execution.result_json;
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 128});
  const object* members = value ? value->if_object() : nullptr;
  const auto* list = members != nullptr ? members->if_contains("results") : nullptr;
  if (list == nullptr || !list->is_array()) return results;
  for (const boost::json::value& one : list->get_array()) results.push_back(codec::serialize(one));
  return results;
}

}  // namespace

std::string to_event_id(const StreamPosition& position) {
  std::string id = std::to_string(position.number) + "." + std::to_string(position.stdout_bytes) +
                   "." + std::to_string(position.stderr_bytes) + "." +
                   std::to_string(position.others);
  if (!position.stdout_tail.empty() || !position.stderr_tail.empty()) {
    id += "." + hex(position.stdout_tail) + "." + hex(position.stderr_tail);
  }
  return id;
}

std::optional<StreamPosition> from_event_id(std::string_view id) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = id;;) {
    std::size_t dot = rest.find('.');
    parts.push_back(rest.substr(0, dot));
    if (dot == rest.npos) break;
    rest = rest.substr(dot + 1);
  }
  if (parts.size() != 4 && parts.size() != 6) return std::nullopt;
  std::array<std::uint64_t, 4> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto number = to_number(parts[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  StreamPosition position{numbers[0], numbers[1], numbers[2], numbers[3], {}, {}};
  if (parts.size() == 6) {
    auto out = from_hex(parts[4]);
    auto err = from_hex(parts[5]);
    if (!out || !err || out->size() > 3 || err->size() > 3) return std::nullopt;
    position.stdout_tail = std::move(*out);
    position.stderr_tail = std::move(*err);
  }
  return position;
}

http::SseEvent ExecutionEvents::init(const model::Execution& execution) const {
  bodies::ExecutionStartBody data{.session_id = execution.session_id.str(),
                                  .execution_id = execution.id.str(),
                                  .state = execution.state};
  return {.event = "init", .id = to_event_id(at_), .data = codec::encode(data)};
}

void ExecutionEvents::put_text(bool is_stdout, std::string_view bytes,
                               std::vector<http::SseEvent>& out) {
  if (bytes.empty()) return;
  (is_stdout ? at_.stdout_bytes : at_.stderr_bytes) += bytes.size();
  bodies::OutputEventBody data{.text = std::string(bytes), .b64 = {}};
  if (!is_utf8(bytes)) data.b64 = codec::base64(bytes);
  out.push_back({.event = is_stdout ? "stdout" : "stderr",
                 .id = to_event_id(at_),
                 .data = codec::encode(data)});
}

void ExecutionEvents::take_stream(bool is_stdout, std::string_view bytes,
                                  std::vector<http::SseEvent>& out) {
  std::string& tail = is_stdout ? at_.stdout_tail : at_.stderr_tail;
  std::string all = std::exchange(tail, {});
  all.append(bytes);
  std::size_t whole = all.size() - incomplete_tail(all);
  tail = all.substr(whole);
  put_text(is_stdout, std::string_view(all).substr(0, whole), out);
}

void ExecutionEvents::put_other(std::string_view name, std::string data,
                                std::vector<http::SseEvent>& out) {
  ++at_.others;
  if (name == "error") error_given_ = true;
  out.push_back({.event = std::string(name), .id = to_event_id(at_), .data = std::move(data)});
}

void ExecutionEvents::take(const control::SpoolEvent& event, std::vector<http::SseEvent>& out) {
  at_.number = event.number;
  switch (event.kind) {
    case SpoolKind::kStdout: return take_stream(true, event.data, out);
    case SpoolKind::kStderr: return take_stream(false, event.data, out);
    case SpoolKind::kResult: return put_other("result", shown(true, event.data), out);
    case SpoolKind::kDisplay: return put_other("result", shown(false, event.data), out);
    case SpoolKind::kError: return put_other("error", event.data, out);
    case SpoolKind::kEnd: return;
  }
}

Result<bool> ExecutionEvents::replay(const model::Execution& execution, const More& more,
                                     std::vector<http::SseEvent>& out) {
  for (bool is_stdout : {true, false}) {
    std::string& tail = is_stdout ? at_.stdout_tail : at_.stderr_tail;
    std::uint64_t given = is_stdout ? at_.stdout_bytes : at_.stderr_bytes;
    ATOLL_TRY(std::string bytes, more(is_stdout, given));
    if (bytes.empty()) continue;
    tail.clear();  // its bytes are at the front of what follows
    std::string_view portion = bytes;
    if (portion.size() == kChunk) portion.remove_suffix(incomplete_tail(portion));
    ++at_.number;
    put_text(is_stdout, portion, out);
    return true;
  }
  std::vector<std::string> results = kept_results(execution);
  if (at_.others >= results.size()) return false;
  ++at_.number;
  put_other("result", std::move(results[at_.others]), out);
  return true;
}

void ExecutionEvents::finish(const model::Execution& execution, std::vector<http::SseEvent>& out) {
  for (bool is_stdout : {true, false}) {
    std::string rest = std::exchange(is_stdout ? at_.stdout_tail : at_.stderr_tail, {});
    put_text(is_stdout, rest, out);
  }
  ++at_.number;
  auto error = execution_error(execution);
  bool given = error_given_ || at_.others > kept_results(execution).size();
  if (error && !given) put_other("error", codec::encode(*error), out);
  out.push_back({.event = "complete",
                 .id = to_event_id(at_),
                 .data = codec::encode(execution_view(execution, false))});
}

}  // namespace atl::api::rest
