#include "egress/http_requests.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace atl::egress {

namespace {
constexpr std::size_t kMaxLine = 8 * 1024;
constexpr std::size_t kMaxTrailers = 16 * 1024;
constexpr std::size_t kMaxSizeDigits = 15;

bool has_bare_lf(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return true;
  }
  return false;
}

}  // namespace

std::optional<HttpRefusal> HttpRequests::take(std::string_view bytes, std::string& forward) {
  if (rest_.empty()) bytes.remove_prefix(pass(bytes, forward));
  rest_ += bytes;
  std::optional<HttpRefusal> refusal;
  while (at_ < rest_.size() && step(forward, refusal)) {
  }
  rest_.erase(0, std::exchange(at_, 0));
  if (rest_.empty() && rest_.capacity() > kMaxLine) rest_ = {};
  return refusal;
}

std::optional<HttpRefusal> HttpRequests::upgraded(bool yes, std::string& forward) {
  phase_ = yes ? Phase::kOpaque : Phase::kHead;
  return take({}, forward);
}

std::size_t HttpRequests::pass(std::string_view bytes, std::string& forward) {
  if (phase_ == Phase::kOpaque) {
    forward += bytes;
    return bytes.size();
  }
  if ((phase_ != Phase::kLength && phase_ != Phase::kChunk) || bytes.empty()) return 0;
  std::size_t size = std::min<std::uint64_t>(left_, bytes.size());
  forward += bytes.substr(0, size);
  if (watcher_ != nullptr) watcher_->on_body(bytes.substr(0, size));
  left_ -= size;
  if (left_ == 0) phase_ = phase_ == Phase::kLength ? Phase::kHead : Phase::kChunkEnd;
  return size;
}

bool HttpRequests::step(std::string& forward, std::optional<HttpRefusal>& refusal) {
  switch (phase_) {
    case Phase::kUpgrade: return false;
    case Phase::kHead: {
      std::size_t end = end_of_head(rest().substr(0, kMaxHead));
      if (end == std::string_view::npos) {
        if (rest().size() >= kMaxHead) refusal = HttpRefusal::kTooLarge;
        // A line that ends with LF alone can never become one of a head.
        if (has_bare_lf(rest())) refusal = HttpRefusal::kMalformed;
        return false;
      }
      refusal = take_head(forward);
      return !refusal;
    }
    case Phase::kOpaque:
    case Phase::kLength:
    case Phase::kChunk: {
      std::size_t size = pass(rest(), forward);
      at_ += size;
      return size > 0;
    }
    case Phase::kChunkSize:
    case Phase::kChunkEnd:
    case Phase::kTrailers: {
      if (rest().find('\n') == rest_.npos) {
        if (rest().size() > kMaxLine) refusal = HttpRefusal::kMalformed;
        return false;
      }
      refusal = take_line(forward);
      return !refusal;
    }
  }
  return false;
}

std::optional<HttpRefusal> HttpRequests::take_head(std::string& forward) {
  std::size_t end = end_of_head(rest());
  std::optional<HttpHead> head = parse_head(rest().substr(0, end));
  http2_ = rest().starts_with("PRI * HTTP/2");
  at_ += end;
  if (!head) return HttpRefusal::kMalformed;
  said_host_ = host_of(*head);
  if (head->method == "CONNECT" || head->method == "TRACE") return HttpRefusal::kMethod;
  std::optional<HttpBody> body = body_of(*head);
  if (!body || (head->target == "*" && head->method != "OPTIONS")) return HttpRefusal::kMalformed;
  if (!is_for(*head, scheme_, name_, port_)) return HttpRefusal::kOtherHost;
  const std::string* upgrade = head->find("upgrade");
  bool websocket = upgrade != nullptr && head->count("upgrade") == 1 && count_ == 0 &&
                   equal_ignoring_case(*upgrade, "websocket") && !body->chunked &&
                   body->length == 0;
  // Other upgrades (h2c) would hide later requests.
  if (!websocket) {
    head->remove("upgrade");
    head->remove("http2-settings");
  }
  if (!remove_hop_by_hop(*head)) return HttpRefusal::kMalformed;
  std::optional<HttpRefusal> refusal;
  if (watcher_ != nullptr) refusal = watcher_->on_request(*head);
  if (refusal) return refusal;
  forward += head->to_string();
  ++count_;
  left_ = body->length;
  trailer_bytes_ = 0;
  phase_ = websocket          ? Phase::kUpgrade
           : body->chunked    ? Phase::kChunkSize
           : body->length > 0 ? Phase::kLength
                              : Phase::kHead;
  return std::nullopt;
}

// A line of the framing around chunks. It goes on as it is: it was read strictly.
std::optional<HttpRefusal> HttpRequests::take_line(std::string& forward) {
  std::size_t end = rest().find("\r\n");
  if (end == rest_.npos || rest().find('\n') != end + 1) return HttpRefusal::kMalformed;
  std::string_view line = rest().substr(0, end);
  if (phase_ == Phase::kChunkSize) {
    std::string_view digits = line;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
    bool exact = error == std::errc() && stop == digits.data() + digits.size();
    if (!exact || digits.size() > kMaxSizeDigits || digits.starts_with('-')) {
      return HttpRefusal::kMalformed;
    }
    phase_ = left_ > 0 ? Phase::kChunk : Phase::kTrailers;
  } else if (phase_ == Phase::kChunkEnd) {
    if (!line.empty()) return HttpRefusal::kMalformed;
    phase_ = Phase::kChunkSize;
  } else if (line.empty()) {
    phase_ = Phase::kHead;
  } else {
    trailer_bytes_ += line.size();
    if (!parse_field(line) || trailer_bytes_ > kMaxTrailers) return HttpRefusal::kMalformed;
  }
  forward.append(rest_, at_, end + 2);
  at_ += end + 2;
  return std::nullopt;
}

}  // namespace atl::egress
