#include "cli/remote/event_printer.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/bytes.hpp"
#include "cli/exit_status.hpp"
#include "cli/remote/report.hpp"

namespace atl::cli {
namespace {

using boost::json::value;
using client::text_of;
using sandbox::OutputStream;

const value* member(const value& body, std::string_view name) {
  const boost::json::object* fields = body.if_object();
  return fields != nullptr ? fields->if_contains(name) : nullptr;
}

// The exact bytes, where the text had to be changed.
std::string bytes_of(const value& body, std::string_view text, std::string_view coded) {
  std::optional<std::string> exact;
  if (member(body, coded) != nullptr) exact = from_base64(text_of(body, coded));
  return exact ? std::move(*exact) : text_of(body, text);
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

async::Task<Result<void>> EventPrinter::show_result(const value* shown) {
  const value* data = member(*shown, "data");
  if (data == nullptr) co_return Result<void>();
  co_return co_await write(OutputStream::kStdout, with_newline(text_of(*data, "text/plain")));
}

async::Task<Result<void>> EventPrinter::take(client::ExecutionEvent event) {
  if (event.name == "stdout" || event.name == "stderr") {
    bool is_stdout = event.name == "stdout";
    co_return co_await write(is_stdout ? OutputStream::kStdout : OutputStream::kStderr,
                             bytes_of(event.data, "text", "b64"));
  }
  if (event.name == "result") co_return co_await show_result(&event.data);
  if (event.name == "error") {
    std::string traceback = with_newline(text_of(event.data, "traceback"));
    told_ = told_ || !traceback.empty();
    co_return co_await write(OutputStream::kStderr, std::move(traceback));
  }
  if (event.name == "complete") ended_ = std::move(event.data);
  co_return Result<void>();
}

async::Task<Result<void>> EventPrinter::take_body(value execution) {
  ATOLL_CO_CHECK(
      co_await write(OutputStream::kStdout, bytes_of(execution, "stdout", "stdout_b64")));
  ATOLL_CO_CHECK(
      co_await write(OutputStream::kStderr, bytes_of(execution, "stderr", "stderr_b64")));
  const value* result = member(execution, "result");
  const value* shown = result != nullptr ? member(*result, "results") : nullptr;
  if (shown != nullptr && shown->is_array()) {
    for (const value& one : shown->get_array()) ATOLL_CO_CHECK(co_await show_result(&one));
  }
  const value* error = result != nullptr ? member(*result, "error") : nullptr;
  std::string traceback = error != nullptr ? with_newline(text_of(*error, "traceback")) : "";
  told_ = !traceback.empty();
  co_return co_await write(OutputStream::kStderr, std::move(traceback));
}

Result<int> outcome_of(const value& execution, bool quiet, ColorMode color) {
  std::optional<Error> failure = client::failure_of(execution);
  const value* code = member(execution, "exit_code");
  bool ended = code != nullptr && code->is_int64();
  if (!ended && !failure) return fail(Code::kBackend, "the execution ended without a status");
  if (!ended && !quiet) return fail(std::move(*failure));
  if (failure && !quiet && !is_in_stderr(failure->code())) print_remote_error(*failure, color);
  if (text_of(execution, "state") == "timed_out") return kExitTimeout;
  if (failure && failure->code() == Code::kResourceExhausted) return kExitOom;
  return ended ? static_cast<int>(code->get_int64()) : exit_status_of(failure->code());
}

}  // namespace atl::cli
