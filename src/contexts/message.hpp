// What a driver says on its control stream (docs/context-protocol.md), cut out of the bytes as they
// arrive. Code in the sandbox can write there too, so every length is bounded before it is
// believed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::contexts {

inline constexpr std::size_t kMaxHeader = 32;
inline constexpr std::size_t kMaxText = 64 * 1024;
inline constexpr std::size_t kMaxBundle = (16u << 20) + kMaxText;

enum class Word { kReady, kStdout, kStderr, kResult, kDisplay, kError, kDone, kSettle };

struct Message {
  Word word = Word::kReady;
  std::string body;
};

// "run LENGTH\n" and the code.
std::string run_message(std::string_view code);
// The answer to kSettle: all that came before it has been read.
inline constexpr std::string_view kSettledMessage = "settled 0\n";

class MessageReader {
 public:
  // `cut_off`: the stream may begin in the middle of a message, as after a crash of its first
  // reader; what comes before the first header is skipped.
  explicit MessageReader(bool cut_off = false) : searching_(cut_off) {}

  // Takes from the front of `bytes`, and returns a message as soon as one is complete; nullopt once
  // all bytes are taken. After an Error (kProtocol) the stream cannot be understood any more.
  Result<std::optional<Message>> next(std::string_view& bytes);
  // Bytes taken of a message that is not complete.
  std::size_t pending() const { return header_.size() + message_.body.size(); }

 private:
  bool search(std::string_view& bytes);
  Result<bool> read_header(std::string_view& bytes);
  Result<void> understand(std::string_view line);

  bool searching_;
  bool in_body_ = false;
  std::string header_;  // including its end of line, until the body is complete
  std::size_t length_ = 0;
  Message message_;
};

}  // namespace atl::contexts
