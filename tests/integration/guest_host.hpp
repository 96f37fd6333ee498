// A plain, blocking host for tests of the guest: starts atoll-guest as an ordinary process, speaks
// the protocol to it by hand, and so can also speak it wrongly.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "guest/frame.hpp"
#include "guest/messages.hpp"

namespace atl::guest::test {

// A folder that is removed with everything in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

class GuestProcess {
 public:
  // `user`: whom it runs programs as; another one than ourselves needs root.
  explicit GuestProcess(uid_t user = ::getuid());
  ~GuestProcess();  // kills it; what it ran is killed too
  pid_t pid() const { return pid_; }
  UniqueFd connect() const;
  const Token& token() const { return token_; }
  std::uint64_t rss_bytes() const;

 private:
  TempDir dir_;
  Token token_{};
  pid_t pid_ = -1;
};

// Everything that arrived on a channel so far.
struct Log {
  std::optional<Code> code;
  std::string reply;  // the result, or the message of an error
  std::string data[4];
  bool eof[4] = {};
  std::optional<ExitInfo> exit;
  bool closed = false;
  std::uint64_t credit = 0;  // given back by the guest on stream 0
};

class Host {
 public:
  explicit Host(const GuestProcess& guest);       // connects and says hello
  Host(UniqueFd fd, std::optional<Token> token);  // hello only with a token
  Host(UniqueFd in, UniqueFd out);                // two one-way ends, zero token

  void send(FrameType type, std::uint32_t channel, std::uint8_t stream, std::string_view payload);
  void send_raw(std::string_view bytes);
  void credit(std::uint32_t channel, std::uint8_t stream, std::size_t bytes);
  std::uint32_t open(Op op, const Writer& arguments);
  template <typename T>
  std::uint32_t open(Op op, const T& arguments) {
    return open(op, Writer().raw(encoded(arguments)));
  }
  // Sends in frames and within the window.
  void send_data(std::uint32_t channel, std::string_view bytes);

  // Takes one frame in; false at the end of the connection.
  bool step();
  // Steps until the channel is closed (or the connection ends).
  Log& finish(std::uint32_t channel);
  Log& replied(std::uint32_t channel);
  template <typename Condition>
  bool until(Condition condition) {
    while (!condition()) {
      if (!step()) return false;
    }
    return true;
  }
  Log& operator[](std::uint32_t channel) { return logs_[channel]; }
  Log& run(Op op, const Writer& arguments) { return finish(open(op, arguments)); }

  bool auto_credit = true;
  std::uint64_t boot_id = 0;
  std::string pong;
  void close() { in_.reset(), out_.reset(); }

 private:
  int out_fd() const { return out_ ? out_.get() : in_.get(); }
  void hello(const Token& token);
  void take(const Frame& frame);

  UniqueFd in_;
  UniqueFd out_;
  FrameReader reader_;
  std::map<std::uint32_t, Log> logs_;
  std::map<std::uint32_t, std::uint64_t> sent_;
  std::uint32_t next_ = 1;
};

ExecArgs shell(std::string script);
std::vector<std::string> records(std::string_view bytes);
template <typename T>
std::vector<T> records_of(std::string_view bytes) {
  std::vector<T> list;
  for (const std::string& record : records(bytes)) list.push_back(decoded<T>(record).value());
  return list;
}

}  // namespace atl::guest::test
