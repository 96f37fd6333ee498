// The requests of one plain HTTP connection, one after the other: each must be for the same name,
// and its body must end where it says. Bytes go in as they come and out as they may go on. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egress/http_head.hpp"

namespace atl::egress {

enum class HttpRefusal : std::uint16_t {
  kMalformed = 400,
  kDenied = 403,
  kMethod = 405,
  kOtherHost = 421,
  kTooLarge = 431,
  kUpstream = 502,
};

// Sees requests that are in order before they go on.
class RequestWatcher {
 public:
  // May change the head.
  virtual std::optional<HttpRefusal> on_request(HttpHead& head) = 0;
  // What is in bodies, without the framing of chunks.
  virtual void on_body(std::string_view bytes) = 0;

 protected:
  ~RequestWatcher() = default;
};

class HttpRequests {
 public:
  HttpRequests(std::string name, std::uint16_t port, RequestWatcher* watcher = nullptr,
               std::string_view scheme = "http")
      : name_(std::move(name)), port_(port), scheme_(scheme), watcher_(watcher) {}

  // Appends to `forward` what is sent to the server: nothing after a refusal.
  std::optional<HttpRefusal> take(std::string_view bytes, std::string& forward);

  // The first request asks for a WebSocket. Nothing is forwarded until it is answered; after a yes
  // all bytes are forwarded unread.
  bool waits_for_upgrade() const { return phase_ == Phase::kUpgrade; }
  std::optional<HttpRefusal> upgraded(bool yes, std::string& forward);

  // A head has begun, and is not complete.
  bool in_head() const { return phase_ == Phase::kHead && at_ < rest_.size(); }
  // It was refused for being the beginning of HTTP/2.
  bool said_http2() const { return http2_; }
  // How many requests have gone on.
  std::uint64_t count() const { return count_; }
  // Why it was refused, for messages: the name that was said.
  std::size_t held() const { return rest_.capacity(); }
  const std::string& said_host() const { return said_host_; }

 private:
  enum class Phase { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kTrailers, kUpgrade, kOpaque };

  std::optional<HttpRefusal> take_head(std::string& forward);
  std::optional<HttpRefusal> take_line(std::string& forward);
  // One step with what is there; false when it needs more bytes.
  bool step(std::string& forward, std::optional<HttpRefusal>& refusal);
  // Bytes of a body that go on at once: how many.
  std::size_t pass(std::string_view bytes, std::string& forward);
  std::string_view rest() const { return std::string_view(rest_).substr(at_); }

  std::string name_;
  std::uint16_t port_;
  std::string scheme_;
  RequestWatcher* watcher_;
  Phase phase_ = Phase::kHead;
  std::string rest_;  // not gone on yet, from at_
  std::size_t at_ = 0;
  std::uint64_t left_ = 0, count_ = 0, trailer_bytes_ = 0;
  std::string said_host_;
  bool http2_ = false;
};

}  // namespace atl::egress
