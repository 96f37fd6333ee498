#include "cli/repl/repl_printer.hpp"

#include <utility>

#include "cli/core/bytes.hpp"
#include "cli/core/console.hpp"
#include "cli/core/json.hpp"
#include "codec/base64.hpp"

namespace atl::cli {

using async::Task;
using contexts::EventKind;
using sandbox::OutputStream;

namespace {

void put_bytes(JsonWriter& json, std::string_view bytes) {
  json.key("text").text(bytes);
  if (!is_utf8(bytes)) json.key("b64").text(codec::base64(bytes));
}

void put_crash(JsonWriter& json, std::string_view key,
               const std::optional<contexts::Crash>& crash) {
  json.key(key);
  if (!crash) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("cause").text(crash->cause);
  json.key("exit_code").number(crash->exit_code);
  json.key("signal").number(crash->signal);
  json.key("oom").boolean(crash->oom);
  json.end_object();
}

void put_error(JsonWriter& json, const contexts::CodeError& error) {
  json.key("ename").text(error.ename);
  json.key("evalue").text(error.evalue);
  json.key("traceback").text(error.traceback);
}

std::string with_newline(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string error_lines(const contexts::CodeError& error) {
  if (!error.traceback.empty()) return with_newline(error.traceback);
  return with_newline(error.evalue.empty() ? error.ename : error.ename + ": " + error.evalue);
}

}  // namespace

void ReplPrinter::begin_cell(std::uint32_t number) {
  cell_ = number;
  shown_ = 0;
}

Task<Result<void>> ReplPrinter::write(OutputStream stream, std::string text) {
  if (text.empty()) co_return Result<void>();
  in_line_ = !text.ends_with('\n');
  sandbox::OutputChunk chunk{.stream = stream, .bytes = std::move(text)};
  co_return co_await output_->take(std::move(chunk));
}

Task<Result<void>> ReplPrinter::event(const contexts::RunEvent* event) {
  bool shows = event->kind == EventKind::kResult || event->kind == EventKind::kDisplay;
  if (shows) ++shown_;
  if (options_.json) {
    ATOLL_CO_CHECK(co_await json_event(event));
  } else {
    ATOLL_CO_CHECK(co_await text_event(event));
  }
  if (shows && files_ != nullptr) ATOLL_CO_CHECK(co_await save(&event->bundle));
  co_return Result<void>();
}

Task<Result<void>> ReplPrinter::text_event(const contexts::RunEvent* event) {
  switch (event->kind) {
    case EventKind::kStdout: return write(OutputStream::kStdout, event->bytes);
    case EventKind::kStderr: return write(OutputStream::kStderr, event->bytes);
    case EventKind::kResult:
    case EventKind::kDisplay:
      return write(OutputStream::kStdout,
                   with_newline(event->bundle.string("text/plain").value_or("")));
    case EventKind::kError: return write(OutputStream::kStderr, error_lines(event->error));
  }
  return write(OutputStream::kStdout, "");
}

Task<Result<void>> ReplPrinter::json_event(const contexts::RunEvent* event) {
  static constexpr const char* kNames[] = {"stdout", "stderr", "result", "display", "error"};
  JsonWriter json(false);
  json.begin_object();
  json.key("event").text(kNames[static_cast<int>(event->kind)]);
  json.key("cell").number(cell_);
  switch (event->kind) {
    case EventKind::kStdout:
    case EventKind::kStderr: put_bytes(json, event->bytes); break;
    case EventKind::kResult:
    case EventKind::kDisplay: json.key("data").json(event->bundle.text()); break;
    case EventKind::kError: put_error(json, event->error); break;
  }
  json.end_object();
  return write(OutputStream::kStdout, std::move(json).finish());
}

Task<Result<void>> ReplPrinter::save(const contexts::Bundle* bundle) {
  for (std::uint32_t kind = 0; kind < file_kinds().size(); ++kind) {
    const FileKind& what = file_kinds()[kind];
    std::optional<std::string> content = bundle->string(what.mime);
    if (!content && what.mime.ends_with("json")) {
      if (auto raw = bundle->raw(what.mime)) content = std::string(*raw) + "\n";
    }
    if (content && what.base64) {
      std::erase(*content, '\n');  // encoders that break lines
      content = codec::from_base64(*content);
    }
    if (!content) continue;
    ATOLL_CO_TRY(std::string name, co_await files_->save(cell_, shown_, kind, std::move(*content)));
    if (options_.json) {
      JsonWriter json(false);
      json.begin_object().key("event").text("saved").key("cell").number(cell_);
      json.key("file").text(name).end_object();
      ATOLL_CO_CHECK(co_await write(OutputStream::kStdout, std::move(json).finish()));
    } else {
      ATOLL_CO_CHECK(co_await write(OutputStream::kStdout, "saved " + name + "\n"));
    }
  }
  co_return Result<void>();
}

Task<Result<void>> ReplPrinter::end_cell(const contexts::RunResult* result) {
  if (options_.json) {
    JsonWriter json(false);
    json.begin_object();
    json.key("event").text("done");
    json.key("cell").number(cell_);
    json.key("exit_code").number(result->exit_code);
    json.key("execution_count").number(result->execution_count);
    json.key("timed_out").boolean(result->timed_out);
    json.key("interrupted").boolean(result->interrupted);
    json.key("restarted").boolean(result->restarted);
    put_crash(json, "crashed", result->crashed);
    put_crash(json, "lost", result->lost);
    json.key("duration_ms").thousandths(result->duration.count());
    json.end_object();
    ATOLL_CO_CHECK(co_await write(OutputStream::kStdout, std::move(json).finish()));
    co_return Result<void>();
  }
  if (in_line_ && !options_.quiet && (result->timed_out || result->restarted)) {
    ATOLL_CO_CHECK(co_await write(OutputStream::kStderr, "\n"));
  }
  if (options_.quiet) co_return Result<void>();
  if (result->timed_out) print_warning("the cell ran out of time (--timeout)", options_.color);
  for (const auto& end : {result->lost, result->crashed}) {
    if (end) print_warning(end->cause + "; what earlier cells left is gone", options_.color);
  }
  co_return Result<void>();
}

Task<Result<void>> ReplPrinter::failure(const Error* error) {
  if (!options_.json) co_return Result<void>();
  JsonWriter json(false);
  json.begin_object().key("event").text("failure");
  json.key("code").text(code_name(error->code())).key("message").text(error->message());
  json.end_object();
  co_return co_await write(OutputStream::kStdout, std::move(json).finish());
}

}  // namespace atl::cli
