#include "cli/remote/event_printer.hpp"

#include <utility>

#include <boost/json/object.hpp>

#include "cli/core/bytes.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/remote/report.hpp"
#include "codec/base64.hpp"

namespace atl::cli {
namespace {

using sandbox::OutputStream;

// The exact bytes, where the text had to be changed.
std::string bytes_of(std::optional<std::string> text, const std::optional<std::string>& coded) {
  std::optional<std::string> exact;
  if (coded) exact = codec::from_base64(*coded);
  return exact ? std::move(*exact) : std::move(text).value_or("");
}

// What a result is as text; empty when it is none.
std::string text_of(const boost::json::value& data) {
  const boost::json::object* fields = data.if_object();
  const boost::json::value* found = fields != nullptr ? fields->if_contains("text/plain") : nullptr;
  if (found == nullptr || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

std::string with_newline(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

// A program that could not be started: the server has put the reason where the program would have.
bool is_in_stderr(Code code) {
  return code == Code::kProgramNotFound || code == Code::kProgramNotExecutable;
}

}  // namespace

async::Task<Result<void>> EventPrinter::write(OutputStream to, std::string bytes) {
  if (silent_ || bytes.empty()) co_return Result<void>();
  co_return co_await output_.take({.stream = to, .bytes = std::move(bytes)});
}

async::Task<Result<void>> EventPrinter::show_result(bodies::ResultEventBody shown) {
  return write(OutputStream::kStdout, with_newline(text_of(shown.data)));
}

async::Task<Result<void>> EventPrinter::show_traceback(std::optional<std::string> traceback) {
  std::string text = with_newline(std::move(traceback).value_or(""));
  told_ = told_ || !text.empty();
  return write(OutputStream::kStderr, std::move(text));
}

async::Task<Result<void>> EventPrinter::take(client::ExecutionEvent event) {
  if (event.name == "stdout" || event.name == "stderr") {
    bool is_stdout = event.name == "stdout";
    ATOLL_CO_TRY(bodies::OutputEventBody body, event.as<bodies::OutputEventBody>());
    co_return co_await write(is_stdout ? OutputStream::kStdout : OutputStream::kStderr,
                             bytes_of(std::move(body.text), body.b64));
  }
  if (event.name == "result") {
    ATOLL_CO_TRY(bodies::ResultEventBody body, event.as<bodies::ResultEventBody>());
    co_return co_await show_result(std::move(body));
  }
  if (event.name == "error") {
    ATOLL_CO_TRY(bodies::ExecutionErrorBody body, event.as<bodies::ExecutionErrorBody>());
    co_return co_await show_traceback(std::move(body.traceback));
  }
  if (event.name == "complete") {
    ATOLL_CO_TRY(ended_, event.as<bodies::ExecutionBody>());
  }
  co_return Result<void>();
}

async::Task<Result<void>> EventPrinter::take_body(bodies::ExecutionBody execution) {
  ATOLL_CO_CHECK(co_await write(OutputStream::kStdout,
                                bytes_of(std::move(execution.stdout_), execution.stdout_b64)));
  ATOLL_CO_CHECK(co_await write(OutputStream::kStderr,
                                bytes_of(std::move(execution.stderr_), execution.stderr_b64)));
  auto result = codec::decode_value<bodies::ContextResultBody>(
      execution.result, {.ignore_unknown = true, .keep_defaults = true});
  if (!result) co_return Result<void>();  // null: it was no code of a context
  for (bodies::ResultEventBody& one : result->results) {
    ATOLL_CO_CHECK(co_await show_result(std::move(one)));
  }
  if (!result->error) co_return Result<void>();
  co_return co_await show_traceback(std::move(result->error->traceback));
}

Result<int> outcome_of(const bodies::ExecutionBody& execution, bool quiet, ColorMode color) {
  std::optional<Error> failure = client::failure_of(execution);
  bool ended = execution.exit_code.has_value();
  if (!ended && !failure) return fail(Code::kBackend, "the execution ended without a status");
  if (!ended && !quiet) return fail(std::move(*failure));
  if (failure && !quiet && !is_in_stderr(failure->code())) print_remote_error(*failure, color);
  if (execution.state == model::ExecutionState::kTimedOut) return kExitTimeout;
  if (failure && failure->code() == Code::kResourceExhausted) return kExitOom;
  return ended ? *execution.exit_code : exit_status_of(failure->code());
}

}  // namespace atl::cli
