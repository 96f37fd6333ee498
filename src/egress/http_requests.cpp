#include "egress/http_requests.hpp"

#include <algorithm>
#include <charconv>

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
  rest_ += bytes;
  std::optional<HttpRefusal> refusal;
  while (!rest_.empty() && step(forward, refusal)) {
  }
  return refusal;
}

std::optional<HttpRefusal> HttpRequests::upgraded(bool yes, std::string& forward) {
  phase_ = yes ? Phase::kOpaque : Phase::kHead;
  return take({}, forward);
}

bool HttpRequests::step(std::string& forward, std::optional<HttpRefusal>& refusal) {
  switch (phase_) {
    case Phase::kUpgrade: return false;
    case Phase::kOpaque:
      forward += rest_;
      rest_.clear();
      return false;
    case Phase::kHead: {
      std::size_t end = end_of_head(std::string_view(rest_).substr(0, kMaxHead));
      if (end == std::string_view::npos) {
        if (rest_.size() >= kMaxHead) refusal = HttpRefusal::kTooLarge;
        // A line that ends with LF alone can never become one of a head.
        if (has_bare_lf(rest_)) refusal = HttpRefusal::kMalformed;
        return false;
      }
      refusal = take_head(forward);
      return !refusal;
    }
    case Phase::kLength:
    case Phase::kChunk: {
      std::size_t size = std::min<std::uint64_t>(left_, rest_.size());
      forward.append(rest_, 0, size);
      rest_.erase(0, size);
      left_ -= size;
      if (left_ > 0) return false;
      phase_ = phase_ == Phase::kLength ? Phase::kHead : Phase::kChunkEnd;
      return true;
    }
    case Phase::kChunkSize:
    case Phase::kChunkEnd:
    case Phase::kTrailers: {
      if (rest_.find('\n') == rest_.npos) {
        if (rest_.size() > kMaxLine) refusal = HttpRefusal::kMalformed;
        return false;
      }
      refusal = take_line(forward);
      return !refusal;
    }
  }
  return false;
}

std::optional<HttpRefusal> HttpRequests::take_head(std::string& forward) {
  std::size_t end = end_of_head(rest_);
  std::optional<HttpHead> head = parse_head(std::string_view(rest_).substr(0, end));
  rest_.erase(0, end);
  if (!head) return HttpRefusal::kMalformed;
  said_host_ = host_of(*head);
  if (head->method == "CONNECT" || head->method == "TRACE") return HttpRefusal::kMethod;
  std::optional<HttpBody> body = body_of(*head);
  if (!body || (head->target == "*" && head->method != "OPTIONS")) return HttpRefusal::kMalformed;
  if (!is_for(*head, name_, port_)) return HttpRefusal::kOtherHost;
  const std::string* upgrade = head->find("upgrade");
  bool websocket = upgrade != nullptr && head->count("upgrade") == 1 && count_ == 0 &&
                   equal_ignoring_case(*upgrade, "websocket") && !body->chunked &&
                   body->length == 0;
  // Others (h2c) would hide later requests.
  if (!websocket) {
    head->remove("upgrade");
    head->remove("http2-settings");
  }
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
  std::size_t end = rest_.find("\r\n");
  if (end == rest_.npos || rest_.find('\n') != end + 1) return HttpRefusal::kMalformed;
  std::string_view line = std::string_view(rest_).substr(0, end);
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
  forward.append(rest_, 0, end + 2);
  rest_.erase(0, end + 2);
  return std::nullopt;
}

}  // namespace atl::egress
