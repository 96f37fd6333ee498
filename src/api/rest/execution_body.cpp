#include "api/rest/execution_body.hpp"

#include <algorithm>
#include <utility>

#include "api/common/text.hpp"
#include "api/rest/execution_events.hpp"
#include "base/fault.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"
#include "control/tool_text.hpp"

namespace atl::api::rest {

namespace {

using model::LargeOutput;
using Part = LargeOutput::Part;
using Source = std::shared_ptr<const LargeOutput>;

constexpr std::size_t kPortion = 96u << 10;  // a multiple of three: base64 of portions can be
                                             // joined
constexpr std::size_t kEnoughForTools = 4 * control::kToolCharacters;

Task<Result<std::string>> read_portion(RestPtr rest, Source source, Part part,
                                       std::uint64_t offset) {
  ATOLL_CO_TRY(std::string bytes, co_await async::on_pool(rest->pool, [&] {
                 return source->read(part, offset, kPortion);
               }));
  if (bytes.empty()) co_return fail(Code::kIo, "the output ended too early");
  co_return bytes;
}

// A stream in portions of whole characters.
class Characters {
 public:
  Characters(RestPtr rest, Source source, Part part)
      : rest_(std::move(rest)), source_(std::move(source)), part_(part) {}

  bool ended() const { return at_ >= source_->size(part_) && tail_.empty(); }
  Task<Result<std::string>> next() {
    std::string bytes = std::exchange(tail_, {});
    if (at_ < source_->size(part_)) {
      ATOLL_CO_TRY(std::string more, co_await read_portion(rest_, source_, part_, at_));
      at_ += more.size();
      bytes += more;
    }
    bool last = at_ >= source_->size(part_);
    std::size_t whole = bytes.size() - (last ? 0 : incomplete_tail(bytes));
    tail_ = bytes.substr(whole);
    bytes.resize(whole);
    co_return bytes;
  }

 private:
  RestPtr rest_;
  Source source_;
  Part part_;
  std::uint64_t at_ = 0;
  std::string tail_;
};

// Returns whether the text is the exact bytes.
Task<Result<bool>> write_text(Call call, Source source, Part part) {
  bool exact = true;
  for (Characters characters(call.rest, source, part); !characters.ended();) {
    ATOLL_CO_TRY(std::string bytes, co_await characters.next());
    exact = exact && is_utf8(bytes);
    std::string text = codec::serialize(boost::json::value(json_text(bytes)));
    std::string_view inner = std::string_view(text).substr(1, text.size() - 2);
    ATOLL_CO_CHECK(co_await call.exchange->write(inner));
  }
  co_return exact;
}

Task<Result<void>> write_base64(Call call, Source source, Part part) {
  for (std::uint64_t at = 0; at < source->size(part);) {
    ATOLL_CO_TRY(std::string bytes, co_await read_portion(call.rest, source, part, at));
    at += bytes.size();
    std::string text = codec::base64(bytes);
    ATOLL_CO_CHECK(co_await call.exchange->write(text));
  }
  co_return Result<void>();
}

Task<Result<void>> write_member(Call call, Source source, Part part, std::string name) {
  std::string begin = ",\"" + name + "\":\"";
  ATOLL_CO_CHECK(co_await call.exchange->write(begin));
  ATOLL_CO_TRY(bool exact, co_await write_text(call, source, part));
  ATOLL_CO_CHECK(co_await call.exchange->write("\""));
  if (exact || part == Part::kMerged) co_return Result<void>();
  begin = ",\"" + name + "_b64\":\"";
  ATOLL_CO_CHECK(co_await call.exchange->write(begin));
  ATOLL_CO_CHECK(co_await write_base64(call, source, part));
  co_return co_await call.exchange->write("\"");
}

struct Counted {
  std::string text;          // as far as a tool can need it
  std::size_t left_out = 0;  // characters
};

Task<Result<Counted>> count_text(Call call, Source source, Part part) {
  Counted counted;
  for (Characters characters(call.rest, source, part); !characters.ended();) {
    ATOLL_CO_TRY(std::string bytes, co_await characters.next());
    std::string text = to_utf8(bytes);
    if (counted.text.size() < kEnoughForTools) {
      counted.text += text;
    } else {
      counted.left_out += static_cast<std::size_t>(
          std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
    }
  }
  co_return counted;
}

// The exact bytes of a stream whose text is not them.
std::optional<std::string> coded(std::string_view bytes) {
  if (is_utf8(bytes)) return std::nullopt;
  return codec::base64(bytes);
}

// What the code of a context raised, as its driver said it.
std::optional<std::string> raised(const boost::json::value& result, std::string_view name) {
  const boost::json::object* members = result.if_object();
  const boost::json::value* error = members != nullptr ? members->if_contains("error") : nullptr;
  if (error == nullptr || !error->is_object()) return std::nullopt;
  const boost::json::value* found = error->get_object().if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string().data(), found->get_string().size());
}

}  // namespace

bodies::Nullable<bodies::ExecutionErrorBody> execution_error(const model::Execution& execution) {
  if (execution.error_code.empty()) return {};
  boost::json::value result = parsed_or_null(execution.result_json);
  return bodies::ExecutionErrorBody{.code = execution.error_code,
                                    .message = execution.error_message,
                                    .ename = raised(result, "ename"),
                                    .evalue = raised(result, "evalue"),
                                    .traceback = raised(result, "traceback")};
}

bodies::ExecutionBody execution_view(const model::Execution& execution, bool with_output) {
  const model::ExecutionMetrics& used = execution.metrics;
  bodies::ExecutionBody view;
  view.session_id = execution.session_id.str();
  view.execution_id = execution.id.str();
  view.state = execution.state;
  view.exit_code = execution.exit_code;
  if (with_output) {
    view.stdout_ = execution.output.stdout_bytes;
    view.stdout_b64 = coded(execution.output.stdout_bytes);
    view.stderr_ = execution.output.stderr_bytes;
    view.stderr_b64 = coded(execution.output.stderr_bytes);
    view.output = execution.output.merged;
  }
  view.result = parsed_or_null(execution.result_json);
  view.success = execution.state == model::ExecutionState::kCompleted;
  view.error = execution_error(execution);
  view.metrics = {.cpu_user_ms = used.cpu_user_ms,
                  .cpu_system_ms = used.cpu_system_ms,
                  .memory_peak_bytes = used.memory_peak_bytes};
  view.duration_ms = execution.duration_ms;
  view.timed_out = execution.state == model::ExecutionState::kTimedOut;
  view.truncated = execution.truncated;
  if (!execution.files_json.empty()) view.files = parsed_or_null(execution.files_json);
  view.context = text_or_null(execution.context_id.str());
  view.request = parsed_or_null(execution.request_json);
  view.created_at = rfc3339(execution.created_at);
  view.started_at = time_or_null(execution.started_at);
  view.ended_at = time_or_null(execution.ended_at);
  return view;
}

Task<Result<void>> write_execution(Call call, model::Execution row, bool with_output) {
  Source source = row.output.large;
  bool streams = with_output && source != nullptr;
  std::string text = codec::encode(execution_view(row, with_output && !streams));
  if (streams) text.pop_back();  // its last brace
  ATOLL_CO_CHECK(co_await call.exchange->write(text));
  if (!streams) co_return Result<void>();
  ATOLL_CO_CHECK(co_await write_member(call, source, Part::kStdout, "stdout"));
  ATOLL_CO_CHECK(co_await write_member(call, source, Part::kStderr, "stderr"));
  ATOLL_CO_CHECK(co_await write_member(call, source, Part::kMerged, "output"));
  co_return co_await call.exchange->write("}");
}

Task<Answer<void>> respond_execution(Call call, model::Execution row, http::Headers headers) {
  fault::here("answer.ready");
  if (!row.output.large) {
    http::Response response = json_response(200, execution_view(row));
    for (const auto& [name, value] : headers) response.headers.set(name, value);
    (void)co_await call.exchange->respond(std::move(response));
  } else {
    headers.set("Content-Type", "application/json");
    Result<void> written = co_await call.exchange->begin(200, std::move(headers));
    if (written) written = co_await write_execution(call, std::move(row), true);
    if (written) (void)co_await call.exchange->finish();
  }
  fault::here("answer.sent");
  co_return Answer<void>();  // an Error was a client that went away; an unfinished answer is cut
}

Task<Result<std::string>> execution_text(Call call, model::Execution row) {
  if (!row.exit_code) co_return "Error: " + to_utf8(row.error_message);
  if (!row.output.large) {
    co_return control::tool_text(to_utf8(row.output.stdout_bytes), to_utf8(row.output.stderr_bytes),
                                 *row.exit_code);
  }
  Source source = row.output.large;
  ATOLL_CO_TRY(Counted out, co_await count_text(call, source, Part::kStdout));
  ATOLL_CO_TRY(Counted err, co_await count_text(call, source, Part::kStderr));
  co_return control::tool_text(out.text, err.text, *row.exit_code, out.left_out + err.left_out);
}

}  // namespace atl::api::rest
