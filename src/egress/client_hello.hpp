// What a TLS client says first, read as far as its server name. A sandbox sends it, so every length
// is checked to the byte, and one that is not exactly so is refused. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace atl::egress {

struct ClientHello {
  std::optional<std::string> server_name;  // canonical; nullopt: the client named none
  bool has_encrypted_hello = false;        // ECH, or the grease that looks like it
};

// Bytes may come in pieces of any size, and the message in records of any size.
class ClientHelloReader {
 public:
  static constexpr std::size_t kMaxBytes = 64 * 1024;

  enum class State { kReading, kDone, kRefused };

  // All bytes that the client has sent so far; those that were seen before are not read again.
  State take(std::string_view all);
  const ClientHello& hello() const { return hello_; }

 private:
  std::size_t at_ = 0;   // the next record
  std::string message_;  // joined payloads of the records
  ClientHello hello_;
};

}  // namespace atl::egress
