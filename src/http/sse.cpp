#include "http/sse.hpp"

#include <utility>

namespace atl::http {

namespace {

void append_line(std::string& out, std::string_view field, std::string_view value) {
  out += field;
  std::size_t from = out.size();
  out += value;
  for (std::size_t i = from; i < out.size(); ++i) {
    if (out[i] == '\r' || out[i] == '\n' || out[i] == '\0') out[i] = ' ';
  }
  out += '\n';
}

}  // namespace

void append_sse(std::string& out, std::string_view event, std::string_view id,
                std::string_view data) {
  out.reserve(out.size() + event.size() + id.size() + data.size() + 32);
  if (!event.empty()) append_line(out, "event: ", event);
  if (!id.empty()) append_line(out, "id: ", id);
  // CR ends a line for readers too: CR, LF and CRLF all begin a new data line. JSON has neither,
  // and two searches for one character are faster than one for two.
  bool one_line = data.find('\n') == data.npos && data.find('\r') == data.npos;
  for (;;) {
    std::size_t end = one_line ? data.npos : data.find_first_of("\r\n");
    out += "data: ";
    out += data.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) break;
    bool pair = data[end] == '\r' && end + 1 < data.size() && data[end + 1] == '\n';
    data.remove_prefix(end + (pair ? 2 : 1));
  }
  out += '\n';
}

Task<Result<void>> SseWriter::begin(Headers headers) {
  headers.set("Content-Type", "text/event-stream");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-cache");
  headers.set("X-Accel-Buffering", "no");  // proxies must not collect what is meant to flow
  return exchange_->begin(200, std::move(headers));
}

void SseWriter::add(std::string_view event, std::string_view id, std::string_view data) {
  append_sse(buffer_, event, id, data);
}

Task<Result<void>> SseWriter::flush() {
  if (!exchange_->answered()) ATOLL_CO_CHECK(co_await begin());
  if (buffer_.empty()) co_return Result<void>();
  // Others may add() while this is being written.
  std::string bytes = std::exchange(buffer_, {});
  Result<void> written = co_await exchange_->write(bytes);
  if (buffer_.empty()) {
    bytes.clear();
    buffer_ = std::move(bytes);
  }
  co_return written;
}

Task<Result<void>> SseWriter::send(SseEvent event) {
  add(event);
  co_return co_await flush();
}

Task<Result<void>> SseWriter::comment(std::string text) {
  append_line(buffer_, ": ", text);
  buffer_ += '\n';
  co_return co_await flush();
}

Task<Result<void>> SseWriter::finish() {
  ATOLL_CO_CHECK(co_await flush());
  co_return co_await exchange_->finish();
}

Result<void> SseReader::feed(std::string_view bytes) {
  buffer_.erase(0, std::exchange(start_, 0));
  buffer_ += bytes;
  if (buffer_.size() > max_event_ + bytes.size()) {
    return fail(Code::kTooLarge, "the event is too large");
  }
  return {};
}

std::optional<SseEvent> SseReader::next() {
  SseEvent event;
  bool has_data = false;
  std::size_t at = start_;
  std::string_view all = buffer_;
  if (first_ && at == 0) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (all.size() < kMark.size() && kMark.starts_with(all)) return std::nullopt;
    if (all.starts_with(kMark)) at = kMark.size();
  }
  for (;;) {
    std::size_t end = all.find_first_of("\r\n", at);
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t after = end + 1;
    if (all[end] == '\r') {
      if (after == all.size()) return std::nullopt;  // is it half of a CRLF?
      if (all[after] == '\n') ++after;
    }
    bool whole = take_line(all.substr(at, end - at), event, has_data);
    at = after;
    if (!whole) continue;
    start_ = at;
    first_ = false;
    if (!event.id.empty()) last_id_ = event.id;
    if (has_data) return event;
    event = {};
  }
}

// True for the empty line that ends an event.
bool SseReader::take_line(std::string_view line, SseEvent& event, bool& has_data) {
  if (line.empty()) return true;
  std::size_t colon = std::min(line.find(':'), line.size());
  std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(line.size(), colon + 1));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data) event.data += '\n';
    event.data += value;
    has_data = true;
  } else if (field == "event") {
    event.event = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    event.id = value;
  }
  return false;
}

}  // namespace atl::http
