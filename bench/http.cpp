#include "http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "figures.hpp"

namespace atl::bench {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

// Names as Atoll and nginx write them: this is no client for the world.
std::optional<std::uint64_t> length_of(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  std::size_t at = head.find(kName);
  if (at == head.npos) return std::nullopt;
  return std::strtoull(head.data() + at + kName.size(), nullptr, 10);
}

int status_of(std::string_view head) { return std::atoi(head.data() + sizeof "HTTP/1.1"); }

}  // namespace

std::string Target::head(std::string_view method, std::string_view path, std::uint64_t length,
                         std::string_view more) const {
  std::string text;
  text.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
  if (!key.empty()) text.append("X-API-Key: ").append(key).append("\r\n");
  if (method != "GET" && method != "DELETE") {
    text.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
  }
  return text.append(more).append("\r\n");
}

std::string Target::request(std::string_view method, std::string_view path, std::string_view body,
                            std::string_view more) const {
  std::string lines(more);
  if (!body.empty()) lines += "Content-Type: application/json\r\n";
  return head(method, path, body.size(), lines).append(body);
}

Connection::Connection(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    give_up("cannot connect to port " + std::to_string(port));
  }
}

void Connection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("the server went away while it was sent something");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool Connection::receive(bool wait) {
  std::array<char, 16 * 1024> piece;
  ssize_t got = ::recv(fd_.get(), piece.data(), piece.size(), wait ? 0 : MSG_DONTWAIT);
  if (got < 0 && !wait && errno == EAGAIN) return false;
  if (got <= 0) give_up("the server closed a connection that waited for an answer");
  inbox_.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

std::size_t Connection::head_size() const {
  std::size_t end = inbox_.find("\r\n\r\n");
  return end == inbox_.npos ? 0 : end + 4;
}

std::optional<Reply> Connection::take() {
  std::size_t head = head_size();
  if (head == 0) return std::nullopt;
  std::string_view fields = std::string_view(inbox_).substr(0, head);
  std::uint64_t length = length_of(fields).value_or(0);
  if (fields.find("\r\nTransfer-Encoding: chunked") != fields.npos) {
    if (!inbox_.ends_with("\r\n0\r\n\r\n")) return std::nullopt;
    length = inbox_.size() - head;
  }
  if (inbox_.size() < head + length) return std::nullopt;
  Reply reply{.status = status_of(inbox_), .body = inbox_.substr(head, length)};
  inbox_.erase(0, head + length);
  return reply;
}

Reply Connection::call(std::string_view request) {
  send(request);
  for (;;) {
    receive(true);
    if (std::optional<Reply> reply = take()) return std::move(*reply);
  }
}

std::uint64_t Connection::swallow(int status) {
  while (head_size() == 0) receive(true);
  std::size_t head = head_size();
  std::optional<std::uint64_t> length = length_of(std::string_view(inbox_).substr(0, head));
  if (status_of(inbox_) != status || !length) give_up("unexpected answer: " + inbox_);
  std::uint64_t left = *length - (inbox_.size() - head);
  inbox_.clear();
  std::string piece(kPiece, '\0');
  while (left > 0) {
    ssize_t got = ::recv(fd_.get(), piece.data(), std::min<std::uint64_t>(left, kPiece), 0);
    if (got <= 0) give_up("the answer ended too early");
    left -= static_cast<std::uint64_t>(got);
  }
  return *length;
}

std::uint64_t Connection::swallow_events() {
  constexpr std::string_view kEnd = "\r\n0\r\n\r\n";  // of the chunks
  std::string piece(kPiece, '\0');
  std::string tail;
  std::uint64_t total = 0;
  while (!tail.ends_with(kEnd)) {
    ssize_t got = ::recv(fd_.get(), piece.data(), piece.size(), 0);
    if (got <= 0) give_up("the stream of events ended too early");
    auto size = static_cast<std::size_t>(got);
    if (total == 0 && status_of(piece) != 200)
      give_up("unexpected answer: " + piece.substr(0, size));
    total += size;
    tail.append(piece, size > 4096 ? size - 4096 : 0, size);
    if (tail.size() > 4096) tail.erase(0, tail.size() - 4096);
  }
  if (tail.find("\"exit_code\":0") == tail.npos) give_up("the execution failed: " + tail);
  return total;
}

std::string string_member(const std::string& json, std::string_view name) {
  std::string wanted = "\"" + std::string(name) + "\":\"";
  std::size_t at = json.find(wanted);
  if (at == json.npos) return "";
  at += wanted.size();
  return json.substr(at, json.find('"', at) - at);
}

}  // namespace atl::bench
