#include "http/multipart.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "http/disposition.hpp"
#include "http/uri.hpp"

namespace atl::http {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::unexpected<Error> wrong(const char* why) {
  return fail(Code::kInvalidArgument, std::string("multipart body: ") + why);
}

std::size_t find(std::string_view text, std::string_view what) {
  const void* at = ::memmem(text.data(), text.size(), what.data(), what.size());
  if (at == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// How many bytes at the end of `text` could be the begin of `what`.
std::size_t half_at_end(std::string_view text, std::string_view what) {
  std::size_t most = std::min(text.size(), what.size() - 1);
  std::string_view tail = text.substr(text.size() - most);
  for (std::size_t i = tail.find(what[0]); i != std::string_view::npos;
       i = tail.find(what[0], i + 1)) {
    if (what.starts_with(tail.substr(i))) return tail.size() - i;
  }
  return 0;
}

}  // namespace

MultipartParser::MultipartParser(std::string_view boundary, MultipartLimits limits)
    : delimiter_("\r\n--" + std::string(boundary)), limits_(limits) {}

void MultipartParser::feed(std::string_view bytes) {
  buffer_.erase(0, std::exchange(at_, 0));
  buffer_ += bytes;
}

Result<MultipartEvent> MultipartParser::next() {
  Result<MultipartEvent> event = step();
  if (!event) state_ = State::kBroken;
  return event;
}

Result<void> MultipartParser::finish() const {
  if (state_ == State::kEpilogue && (rest().empty() || rest() == kLineEnd)) return {};
  return wrong("it ends before its closing boundary");
}

Result<MultipartEvent> MultipartParser::step() {
  switch (state_) {
    case State::kStart: return at_start();
    case State::kAfterBoundary: return after_boundary();
    case State::kHeaders: return in_headers();
    case State::kBody: return in_body();
    case State::kEpilogue: return in_epilogue();
    case State::kBroken: break;
  }
  return wrong("it was refused already");
}

Result<MultipartEvent> MultipartParser::at_start() {
  std::string_view opening = std::string_view(delimiter_).substr(kLineEnd.size());
  std::string_view have = rest().substr(0, opening.size());
  if (!opening.starts_with(have)) return wrong("it does not begin with its boundary");
  if (have.size() < opening.size()) return MultipartEvent{};
  at_ += opening.size();
  state_ = State::kAfterBoundary;
  return after_boundary();
}

Result<MultipartEvent> MultipartParser::after_boundary() {
  std::string_view have = rest().substr(0, 2);
  if (have.size() < 2) return MultipartEvent{};
  at_ += 2;
  if (have == "--") {
    state_ = State::kEpilogue;
    return in_epilogue();
  }
  if (have != kLineEnd) return wrong("a boundary is followed by something else");
  if (++parts_ > limits_.parts) return fail(Code::kTooLarge, "multipart body: too many parts");
  state_ = State::kHeaders;
  return in_headers();
}

Result<MultipartEvent> MultipartParser::in_headers() {
  std::string_view window = rest().substr(0, limits_.header_bytes);
  std::size_t end = find(window, kHeadEnd);
  if (end == std::string_view::npos) {
    if (window.size() == limits_.header_bytes) {
      return fail(Code::kTooLarge, "multipart body: the header of a part is too large");
    }
    if (window.starts_with(kLineEnd)) return wrong("a part has no header");
    return MultipartEvent{};
  }
  MultipartEvent event;
  event.kind = MultipartEvent::Kind::kPartBegin;
  std::string_view lines = window.substr(0, end);
  while (!lines.empty()) {
    std::size_t stop = std::min(find(lines, kLineEnd), lines.size());
    if (event.headers.size() == limits_.headers) {
      return fail(Code::kTooLarge, "multipart body: a part has too many header fields");
    }
    if (!add_part_header(event.headers, lines.substr(0, stop))) {
      return wrong("the header of a part is malformed");
    }
    lines.remove_prefix(std::min(lines.size(), stop + kLineEnd.size()));
  }
  std::optional<Disposition> disposition = part_disposition(event.headers);
  if (!disposition) return wrong("a part needs Content-Disposition: form-data with a name");
  std::string_view encoding = event.headers.get("content-transfer-encoding");
  if (!encoding.empty() && !same_name(encoding, "binary") && !same_name(encoding, "8bit") &&
      !same_name(encoding, "7bit")) {
    return wrong("a part has an unknown Content-Transfer-Encoding");
  }
  event.name = std::move(disposition->name);
  event.filename = std::move(disposition->filename);
  // The last line end stays: an empty body is followed by its delimiter at once.
  at_ += end + kLineEnd.size();
  state_ = State::kBody;
  body_begun_ = false;
  return event;
}

Result<MultipartEvent> MultipartParser::in_body() {
  std::string_view have = rest();
  if (!body_begun_) {
    // The line end after the header is no data, unless it begins the delimiter of an empty part.
    if (have.size() < delimiter_.size() && delimiter_.starts_with(have)) return MultipartEvent{};
    body_begun_ = true;
    if (!have.starts_with(delimiter_)) {
      at_ += kLineEnd.size();
      have = rest();
    }
  }
  std::size_t end = find(have, delimiter_);
  MultipartEvent event;
  if (end == 0) {
    at_ += delimiter_.size();
    state_ = State::kAfterBoundary;
    event.kind = MultipartEvent::Kind::kPartEnd;
    return event;
  }
  std::size_t size =
      end == std::string_view::npos ? have.size() - half_at_end(have, delimiter_) : end;
  if (size == 0) return MultipartEvent{};
  event.kind = MultipartEvent::Kind::kData;
  event.data = have.substr(0, size);
  at_ += size;
  return event;
}

Result<MultipartEvent> MultipartParser::in_epilogue() {
  if (!kLineEnd.starts_with(rest().substr(0, kLineEnd.size() + 1))) {
    return wrong("something follows its closing boundary");
  }
  MultipartEvent event;
  if (!std::exchange(end_reported_, true)) event.kind = MultipartEvent::Kind::kEnd;
  return event;
}

}  // namespace atl::http
