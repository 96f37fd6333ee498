// The body of one message as it comes in, whatever its framing. Internal to http/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "async/task.hpp"
#include "base/result.hpp"
#include "http/inbox.hpp"
#include "http/transport.hpp"
#include "http/wire.hpp"

namespace atl::http {

class BodyReader {
 public:
  BodyReader(Wire& wire, Inbox& inbox, MessageParser& parser)
      : wire_(&wire), inbox_(&inbox), parser_(&parser) {}

  // After a head was parsed.
  void begin();
  bool done() const { return done_; }
  // At least one byte, 0 at the end, an Error when the connection was cut before.
  Task<Result<std::size_t>> read_some(std::span<char> into);
  Task<Result<std::string>> read_all(std::size_t limit);

 private:
  Task<Result<std::size_t>> read_chunked(std::span<char> into);
  Task<Result<std::size_t>> read_plain(std::span<char> into);

  Wire* wire_;
  Inbox* inbox_;
  MessageParser* parser_;
  Framing framing_ = Framing::kNone;
  std::uint64_t left_ = 0;  // kLength
  bool done_ = true;
  bool failed_ = false;
};

}  // namespace atl::http
