#include "api/opensandbox/events.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/common/text.hpp"
#include "codec/json.hpp"

namespace atl::api::opensandbox {

namespace {

using boost::json::object;
using control::SpoolKind;

void put(std::string_view type, std::string_view members, std::int64_t now, std::string& out) {
  out.append(R"({"type":")").append(type).append("\"");
  if (!members.empty()) out.append(",").append(members);
  out.append(R"(,"timestamp":)").append(std::to_string(now)).append("}\n\n");
}

void put_text(std::string_view type, std::string_view bytes, std::int64_t now, std::string& out) {
  put(type, "\"text\":" + codec::serialize(json_text(bytes)), now, out);
}

// The bundle of MIME types with `text` for text/plain, which is what their clients read.
std::string results_of(std::string_view bundle) {
  boost::json::value value = parsed_or_null(bundle);
  object results;
  if (const object* members = value.if_object()) {
    for (const auto& [type, content] : *members) {
      results[type == "text/plain" ? "text" : std::string_view(type)] = content;
    }
  }
  return "\"results\":" + codec::serialize(results);
}

boost::json::array lines_of(const boost::json::value* text) {
  boost::json::array lines;
  if (text == nullptr) return lines;
  if (const auto* list = text->if_array()) return *list;
  if (const auto* all = text->if_string()) {
    for (std::string_view line : split({all->data(), all->size()}, '\n')) lines.emplace_back(line);
  }
  return lines;
}

std::string error_of(std::string_view name, std::string_view value, boost::json::array traceback) {
  object error{{"ename", json_text(name)},
               {"evalue", json_text(value)},
               {"traceback", std::move(traceback)}};
  return "\"error\":" + codec::serialize(error);
}

// What code raised, as its context said it.
std::string raised_error(std::string_view json) {
  boost::json::value value = parsed_or_null(json);
  auto member = [&](const char* name) {
    const object* members = value.if_object();
    return members != nullptr ? members->if_contains(name) : nullptr;
  };
  auto text = [&](const char* name) {
    const boost::json::value* found = member(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string().c_str())
                                                  : std::string();
  };
  return error_of(text("ename"), text("evalue"), lines_of(member("traceback")));
}

std::string_view stream_name(bool is_stdout) { return is_stdout ? "stdout" : "stderr"; }

}  // namespace

std::string EventText::init(std::string_view id, std::int64_t now) {
  std::string out;
  put_text("init", id, now, out);
  return out;
}

std::string EventText::ping(std::int64_t now) {
  std::string out;
  put_text("ping", "pong", now, out);
  return out;
}

std::string EventText::complete(std::uint64_t duration_ms, std::int64_t now) {
  std::string out;
  put("execution_complete", "\"execution_time\":" + std::to_string(duration_ms), now, out);
  return out;
}

void EventText::take_stream(bool is_stdout, std::string_view bytes, std::int64_t now,
                            std::string& out) {
  std::string& rest = is_stdout ? stdout_rest_ : stderr_rest_;
  std::string_view type = stream_name(is_stdout);
  rest.append(bytes);
  if (form_ == Form::kPieces) {
    std::size_t whole = rest.size() - incomplete_tail(rest);
    if (whole > 0) put_text(type, std::string_view(rest).substr(0, whole), now, out);
    rest.erase(0, whole);
    return;
  }
  std::size_t from = 0;
  std::size_t searched = rest.size() - bytes.size();
  for (;;) {
    std::size_t end = rest.find('\n', std::max(from, searched));
    if (end == rest.npos) break;
    std::string_view line = std::string_view(rest).substr(from, end - from);
    put_text(type, line.empty() ? "\n" : line, now, out);  // an empty line would be no text
    from = end + 1;
  }
  rest.erase(0, from);
  while (rest.size() > kLongestLine) {
    std::size_t whole = kLongestLine - incomplete_tail({rest.data(), kLongestLine});
    put_text(type, std::string_view(rest).substr(0, whole), now, out);
    rest.erase(0, whole);
  }
}

void EventText::take(const control::SpoolEvent& event, std::int64_t now, std::string& out) {
  switch (event.kind) {
    case SpoolKind::kStdout: return take_stream(true, event.data, now, out);
    case SpoolKind::kStderr: return take_stream(false, event.data, now, out);
    case SpoolKind::kResult:
    case SpoolKind::kDisplay: return put("result", results_of(event.data), now, out);
    case SpoolKind::kError:
      error_given_ = true;
      return put("error", raised_error(event.data), now, out);
    case SpoolKind::kEnd: return;
  }
}

void EventText::put_error(const model::Execution& execution, std::int64_t now, std::string& out) {
  bool timed_out = execution.state == model::ExecutionState::kTimedOut;
  std::string why = execution.error_message;
  if (timed_out && why.empty()) why = "the time is up";
  // Their clients read the exit code from here.
  std::string code =
      execution.exit_code && !timed_out ? std::to_string(*execution.exit_code) : "-1";
  if (form_ == Form::kPieces) {
    std::string name = timed_out ? "TimeoutError" : execution.error_code;
    put("error", error_of(name.empty() ? "ExecutionError" : name, why.empty() ? code : why, {}),
        now, out);
    return;
  }
  std::string_view name = timed_out ? "CommandTimeoutError" : "CommandExecError";
  boost::json::array traceback;
  traceback.emplace_back("exit status " + code);
  if (!why.empty()) traceback.emplace_back(json_text(why));
  put("error", error_of(name, code, std::move(traceback)), now, out);
}

void EventText::finish(const model::Execution& execution, std::int64_t now, std::string& out) {
  for (bool is_stdout : {true, false}) {
    std::string rest = std::exchange(is_stdout ? stdout_rest_ : stderr_rest_, {});
    if (!rest.empty()) put_text(stream_name(is_stdout), rest, now, out);
  }
  if (form_ == Form::kPieces) {
    boost::json::value result = parsed_or_null(execution.result_json);
    const object* members = result.if_object();
    const auto* count = members != nullptr ? members->if_contains("execution_count") : nullptr;
    if (count != nullptr && count->is_number()) {
      put("execution_count", "\"execution_count\":" + codec::serialize(*count), now, out);
    }
  }
  bool well =
      execution.state == model::ExecutionState::kCompleted && execution.exit_code.value_or(0) == 0;
  if (well && !error_given_) {
    out += complete(execution.duration_ms, now);
  } else if (!error_given_) {
    put_error(execution, now, out);
  }
}

}  // namespace atl::api::opensandbox
