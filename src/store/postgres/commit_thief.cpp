#include "store/postgres/commit_thief.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace atl::store::postgres {
namespace {

sockaddr_un address_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder + "/.s.PGSQL.5432").copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

bool pass_on(const UniqueFd& to, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

CommitThief::CommitThief(std::string server, std::string folder)
    : server_(std::move(server)), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address = address_in(folder);
  if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), 16) != 0) {
    throw std::runtime_error("listen");
  }
  accepting_ = std::thread([this] { accept_all(); });
}

CommitThief::~CommitThief() {
  ending_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);  // accept() returns
  accepting_.join();
  for (std::thread& connection : connections_) connection.join();
}

void CommitThief::accept_all() {
  for (;;) {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) return;
    connections_.emplace_back([this, fd = std::move(client)]() mutable { serve(std::move(fd)); });
  }
}

void CommitThief::serve(UniqueFd client) {
  UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = address_in(server_);
  if (::connect(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  std::array<pollfd, 2> fds = {pollfd{client.get(), POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
  std::array<char, 65536> buffer;
  bool drop_answer = false;
  while (!ending_) {
    if (::poll(fds.data(), fds.size(), 100) < 0) return;
    for (std::size_t side = 0; side < fds.size(); ++side) {
      if (fds[side].revents == 0) continue;
      ssize_t got = ::read(fds[side].fd, buffer.data(), buffer.size());
      if (got <= 0) return;
      std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
      if (side == 0 && bytes.find("COMMIT") != std::string_view::npos) {
        Steal what = next_.exchange(Steal::kNothing);
        if (what == Steal::kRequest) return;
        drop_answer = what == Steal::kAnswer;
      }
      if (side == 1 && drop_answer) return;
      if (!pass_on(side == 0 ? server : client, bytes)) return;
    }
  }
}

}  // namespace atl::store::postgres
