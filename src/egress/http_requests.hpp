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
};

class HttpRequests {
 public:
  HttpRequests(std::string name, std::uint16_t port) : name_(std::move(name)), port_(port) {}

  // Adds to `forward` what may go on to the server. After a refusal nothing more may.
  std::optional<HttpRefusal> take(std::string_view bytes, std::string& forward);

  // The first request asks for a WebSocket. Until the answer is known nothing more goes on; with
  // yes, whatever comes goes on unread.
  bool waits_for_upgrade() const { return phase_ == Phase::kUpgrade; }
  std::optional<HttpRefusal> upgraded(bool yes, std::string& forward);

  // How many requests have gone on.
  std::uint64_t count() const { return count_; }
  // Why it was refused, for messages: the name that was said.
  const std::string& said_host() const { return said_host_; }

 private:
  enum class Phase { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kTrailers, kUpgrade, kOpaque };

  std::optional<HttpRefusal> take_head(std::string& forward);
  std::optional<HttpRefusal> take_line(std::string& forward);
  // One step with what is there; false when it needs more bytes.
  bool step(std::string& forward, std::optional<HttpRefusal>& refusal);

  std::string name_;
  std::uint16_t port_;
  Phase phase_ = Phase::kHead;
  std::string rest_;  // not gone on yet
  std::uint64_t left_ = 0, count_ = 0, trailer_bytes_ = 0;
  std::string said_host_;
};

}  // namespace atl::egress
