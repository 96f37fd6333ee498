// A listening socket: "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or "unix:PATH". Internal to
// http/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::http {

class Listener {
 public:
  // kAlreadyExists when somebody listens there. A Unix socket that its server left behind is
  // replaced; the new one is for its owner only (0600).
  static Result<Listener> open(const std::string& address);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener();  // removes its Unix socket, unless somebody put another there

  UniqueFd fd;
  std::string address;     // with the port that was bound
  std::uint16_t port = 0;  // TCP
  bool is_tcp = false;

 private:
  Listener() = default;
  static Result<Listener> open_unix(const std::string& path);
  static Result<Listener> open_tcp(const std::string& address);

  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// "127.0.0.1:80" or "[::1]:80" of the other end, "unix" for a Unix socket.
std::string peer_name(const UniqueFd& fd);
void set_nodelay(const UniqueFd& fd);

}  // namespace atl::http
