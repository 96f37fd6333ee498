// The border to Beast, whose headers only transport.cpp includes: parsing of heads and chunks, and
// WebSockets over a Wire. Internal to http/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "http/websocket.hpp"
#include "http/wire.hpp"

namespace atl::http {

enum class Framing { kNone, kLength, kChunked, kUntilClose };

// A head that is refused: the status to answer with, and why.
struct BadHead {
  int status;
  const char* why;
};

// One message after the other: begin with a head, then, when it is chunked, its body.
class MessageParser {
 public:
  explicit MessageParser(std::size_t max_fields);
  MessageParser(const MessageParser&) = delete;
  MessageParser& operator=(const MessageParser&) = delete;
  ~MessageParser();

  // `head` is everything up to and with the first empty line. Fills method, target, path, query and
  // headers. Refuses what could be read in two ways: more than one Content-Length, a
  // Transfer-Encoding that is not exactly `chunked`, both of them, not exactly one Host.
  std::expected<void, BadHead> parse_request(std::string_view head, Request& into);
  // `bodyless`: the answer to a HEAD.
  Result<void> parse_response(std::string_view head, bool bodyless, int& status, Headers& into);

  Framing framing() const { return framing_; }
  std::uint64_t length() const { return length_; }  // kLength
  bool keep_alive() const { return keep_alive_; }
  bool is_http11() const { return http11_; }

  struct Step {
    std::size_t used = 0;  // of `in`; the rest must be there again next time
    std::size_t made = 0;  // bytes of the body, in `out`
    bool done = false;     // the last chunk and its trailers were there
  };
  Result<Step> read_chunks(std::string_view in, std::span<char> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::size_t max_fields_;
  Framing framing_ = Framing::kNone;
  std::uint64_t length_ = 0;
  bool keep_alive_ = false;
  bool http11_ = false;
};

// `early` are bytes that were read behind the head already.
Task<Result<std::unique_ptr<WebSocket>>> accept_websocket(std::shared_ptr<Wire> wire,
                                                          std::string early, Request request,
                                                          WebSocketOptions options);
Task<Result<std::unique_ptr<WebSocket>>> connect_websocket(std::shared_ptr<Wire> wire,
                                                           std::string host, std::string target,
                                                           WebSocketOptions options);

}  // namespace atl::http
