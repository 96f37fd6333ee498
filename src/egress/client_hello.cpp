#include "egress/client_hello.hpp"

#include <bitset>
#include <cstdint>

#include "egress/host_name.hpp"

namespace atl::egress {

namespace {

constexpr std::size_t kRecordHeader = 5, kMessageHeader = 4;
constexpr std::size_t kMaxRecord = 1 << 14;
constexpr std::uint8_t kHandshake = 22, kClientHello = 1, kHostName = 0;
constexpr std::uint16_t kServerName = 0, kEncryptedHello = 0xfe0d;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

// Takes parts off the front; after one that is too short everything is empty and wrong.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::size_t number(std::size_t size) {
    std::size_t value = 0;
    for (char byte : take(size)) value = value << 8 | static_cast<std::uint8_t>(byte);
    return value;
  }
  // A part behind its length, which has `size` bytes.
  std::string_view counted(std::size_t size) { return take(number(size)); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Exactly one host name.
bool read_server_name(std::string_view extension, ClientHello& hello) {
  Parts parts(extension);
  Parts list(parts.counted(2));
  bool is_host = list.number(1) == kHostName;
  std::optional<std::string> name = canonical_name(list.counted(2));
  if (!parts.ok() || !parts.empty() || !list.ok() || !list.empty() || !is_host || !name) {
    return false;
  }
  hello.server_name = std::move(name);
  return true;
}

bool read_extensions(std::string_view bytes, ClientHello& hello) {
  std::bitset<65536> seen;
  for (Parts parts(bytes); !parts.empty();) {
    std::size_t type = parts.number(2);
    std::string_view content = parts.counted(2);
    if (!parts.ok() || seen.test(type)) return false;
    seen.set(type);
    if (type == kServerName && !read_server_name(content, hello)) return false;
    if (type == kEncryptedHello) hello.has_encrypted_hello = true;
  }
  return true;
}

bool read_hello(std::string_view body, ClientHello& hello) {
  Parts parts(body);
  parts.take(2 + 32);                          // version, random
  bool sizes = parts.counted(1).size() <= 32;  // session id
  std::string_view ciphers = parts.counted(2);
  sizes = sizes && !ciphers.empty() && ciphers.size() % 2 == 0;
  sizes = sizes && !parts.counted(1).empty();  // compression methods
  if (!parts.ok() || !sizes) return false;
  if (parts.empty()) return true;  // no extensions
  std::string_view extensions = parts.counted(2);
  return parts.ok() && parts.empty() && read_extensions(extensions, hello);
}

}  // namespace

ClientHelloReader::State ClientHelloReader::take(std::string_view all) {
  while (all.size() - at_ >= kRecordHeader) {
    std::size_t size = byte_at(all, at_ + 3) << 8 | byte_at(all, at_ + 4);
    bool handshake = byte_at(all, at_) == kHandshake && byte_at(all, at_ + 1) == 3;
    if (!handshake || size == 0 || size > kMaxRecord) return State::kRefused;
    if (all.size() - at_ < kRecordHeader + size) break;
    message_ += all.substr(at_ + kRecordHeader, size);
    at_ += kRecordHeader + size;
    if (message_.size() < kMessageHeader) continue;
    Parts parts(message_);
    bool is_hello = parts.number(1) == kClientHello;
    std::size_t length = parts.number(3);
    if (!is_hello || length > kMaxBytes) return State::kRefused;
    if (message_.size() < kMessageHeader + length) continue;
    if (message_.size() > kMessageHeader + length) return State::kRefused;  // more than the hello
    return read_hello(parts.take(length), hello_) ? State::kDone : State::kRefused;
  }
  if (all.size() > at_ && byte_at(all, at_) != kHandshake) return State::kRefused;
  return all.size() >= kMaxBytes ? State::kRefused : State::kReading;
}

}  // namespace atl::egress
