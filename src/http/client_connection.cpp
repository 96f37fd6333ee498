#include "http/client_connection.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "http/head.hpp"

namespace atl::http {

namespace {

iovec piece(std::string_view bytes) {
  return {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
}

}  // namespace

bool ClientConnection::is_fresh() const {
  char byte = 0;
  ssize_t got = ::recv(wire->fd().get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return inbox.empty() && got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Task<Result<void>> ClientConnection::send(const ClientRequest* request, std::string head) {
  heard = false;
  sent_whole = false;
  if (request->source) co_return co_await send_stream(request, std::move(head));
  bool announces = !request->body.empty() || request->method == Method::kPost ||
                   request->method == Method::kPut || request->method == Method::kPatch;
  if (announces) append_field(head, "Content-Length", std::to_string(request->body.size()));
  head += "\r\n";
  std::array<iovec, 2> pieces{piece(head), piece(request->body)};
  ATOLL_CO_CHECK(co_await wire->write_all(pieces));
  sent_whole = true;
  co_return Result<void>();
}

Task<Result<void>> ClientConnection::send_stream(const ClientRequest* request, std::string head) {
  std::optional<std::uint64_t> left = request->source_length;
  if (left) {
    append_field(head, "Content-Length", std::to_string(*left));
  } else {
    append_field(head, "Transfer-Encoding", "chunked");
  }
  head += "\r\n";
  ATOLL_CO_CHECK(co_await wire->write_all(std::string_view(head)));
  std::vector<char> buffer(64 * 1024);
  for (;;) {
    // An answer before the end of the body is a refusal: the rest is not wanted.
    ATOLL_CO_TRY(std::optional<std::size_t> early, wire->try_read(inbox.room()));
    if (early) {
      inbox.add(*early);
      co_return Result<void>();
    }
    ATOLL_CO_TRY(std::size_t size, co_await request->source(buffer));
    if (left && (size > *left || (size == 0 && *left > 0))) {
      co_return fail(Code::kInternal, "the body does not have the announced length");
    }
    if (left) *left -= size;
    if (size == 0) break;
    std::array<char, 20> line;
    char* end = line.data();
    if (!left) {
      end = std::to_chars(line.data(), line.data() + 16, size, 16).ptr;
      *end++ = '\r';
      *end++ = '\n';
    }
    std::array<iovec, 3> pieces{piece({line.data(), end}), piece({buffer.data(), size}),
                                piece(left ? "" : "\r\n")};
    ATOLL_CO_CHECK(co_await wire->write_all(pieces));
  }
  if (!left) ATOLL_CO_CHECK(co_await wire->write_all(std::string_view("0\r\n\r\n")));
  sent_whole = true;
  co_return Result<void>();
}

Task<Result<void>> ClientConnection::read_head(std::size_t most, bool bodyless, int* status,
                                               Headers* headers) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  for (int interim = 0; interim < 16;) {
    std::string_view bytes = inbox.view();
    std::size_t end = bytes.find(kEnd);
    if (end == std::string_view::npos || end + kEnd.size() > most) {
      std::span<char> room = inbox.room();
      if (bytes.size() >= most || room.empty()) {
        co_return fail(Code::kProtocol, "the head of the response is too large");
      }
      ATOLL_CO_TRY(std::size_t got, co_await wire->read_some(room));
      if (got == 0) co_return fail(Code::kIo, "the server closed the connection without an answer");
      inbox.add(got);
      heard = true;
      continue;
    }
    heard = true;
    ATOLL_CO_CHECK(
        parser.parse_response(bytes.substr(0, end + kEnd.size()), bodyless, *status, *headers));
    inbox.consume(end + kEnd.size());
    if (*status >= 200 || *status == 101) {
      body.begin();
      co_return Result<void>();
    }
    ++interim;
  }
  co_return fail(Code::kProtocol, "the server only sends interim responses");
}

}  // namespace atl::http
