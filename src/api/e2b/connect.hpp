// The Connect protocol (version 1) below its messages: envelopes of streams, error codes, and the
// two codecs. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/e2b/messages.hpp"
#include "base/result.hpp"

namespace atl::api::e2b {

inline constexpr std::size_t kMaxMessage = 4u << 20;  // one message, from the client
inline constexpr std::size_t kEnvelopeHead = 5;
inline constexpr std::uint8_t kCompressed = 0x01;
inline constexpr std::uint8_t kEndOfStream = 0x02;

struct Envelope {
  std::uint8_t flags = 0;
  std::string data;
};

// Feed bytes, take envelopes; never holds more than one message.
class EnvelopeReader {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // Nothing: more bytes are needed. kTooLarge beyond kMaxMessage, kUnsupported for a compressed
  // one, kInvalidArgument for flags that the protocol does not have.
  Result<std::optional<Envelope>> next();
  bool empty() const { return buffer_.empty(); }

 private:
  std::string buffer_;
};

std::string envelope(std::uint8_t flags, std::string_view data);

enum class Codec : std::uint8_t { kJson, kProto };

// How one request is framed, by its Content-Type.
struct Framing {
  Codec codec = Codec::kJson;
  bool stream = false;

  std::string_view content_type() const;
};
std::optional<Framing> framing_of(std::string_view content_type);

Result<boost::json::object> decode_message(Codec codec, const MessageType& type,
                                           std::string_view bytes);
std::string encode_message(Codec codec, const MessageType& type,
                           const boost::json::object& message);

// "not_found", "invalid_argument", …
std::string_view connect_code(Code code);
int connect_status(std::string_view connect_code);
// {"code", "message"}
boost::json::object connect_error(const Error& error);

}  // namespace atl::api::e2b
