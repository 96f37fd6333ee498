// A lean HTTP/1.1 client: one keep-alive connection, one request at a time, no allocation that is
// not needed. What it costs itself is measured beside the servers (bench/api.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace atl::bench {

struct Reply {
  int status = 0;
  std::string body;
};

// Whom to ask, and what every request carries.
struct Target {
  int port = 0;
  std::string key;

  // A whole request. `more` are header lines, each with its line end.
  std::string request(std::string_view method, std::string_view path, std::string_view body = {},
                      std::string_view more = {}) const;
  // Only the head of one whose body of `length` bytes follows.
  std::string head(std::string_view method, std::string_view path, std::uint64_t length,
                   std::string_view more) const;
};

class Connection {
 public:
  explicit Connection(int port);

  int fd() const { return fd_.get(); }
  // All of it; the end of the program when the server is gone.
  void send(std::string_view bytes) const;
  // What is there; with `wait` at least something. False when nothing was.
  bool receive(bool wait);
  // The answer, once it is whole: with a length, without a body, or in chunks, which stay as they
  // are.
  std::optional<Reply> take();
  Reply call(std::string_view request);

  // Reads an answer of any length and throws it away as it comes: the bytes of its body. Ends the
  // program when the status is another.
  std::uint64_t swallow(int status);
  // The same for a stream of events: the bytes on the wire until `complete` has come.
  std::uint64_t swallow_events();

 private:
  std::size_t head_size() const;

  UniqueFd fd_;
  std::string inbox_;
};

// The value of the first string member of this name.
std::string string_member(const std::string& json, std::string_view name);

}  // namespace atl::bench
