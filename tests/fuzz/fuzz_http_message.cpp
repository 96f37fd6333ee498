// Any bytes as heads and chunks: refused, or read in one way only.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/transport.hpp"

namespace atl::fuzz {

using http::Framing;
using http::MessageParser;

// The body, or nullopt when it was refused; everything is there from the start, `room` bytes of
// it are taken at a time.
std::optional<std::string> read_body(MessageParser& parser, std::string_view bytes,
                                     std::size_t piece, std::size_t room, bool& done) {
  std::string out;
  std::string waiting;
  std::array<char, 256> buffer;
  while (!done) {
    auto step = parser.read_chunks(waiting, std::span(buffer).first(room));
    if (!step) return std::nullopt;
    if (step->used > waiting.size() || step->made > room) std::abort();
    waiting.erase(0, step->used);
    out.append(buffer.data(), step->made);
    done = step->done;
    if (done || step->made > 0 || step->used > 0) continue;
    if (bytes.empty()) break;
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

void check_request(std::string_view head, const MessageParser& parser,
                   const http::Request& request) {
  const http::Headers& headers = request.headers;
  if (headers.count("content-length") > 1 || headers.count("transfer-encoding") > 1) std::abort();
  if (headers.has("content-length") && headers.has("transfer-encoding")) std::abort();
  if (parser.is_http11() && headers.count("host") != 1) std::abort();
  if ((parser.framing() == Framing::kChunked) != headers.has("transfer-encoding")) std::abort();
  for (const auto& field : headers) {
    if (field.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) std::abort();
  }
  if (headers.size() > 20 || head.size() < 16) std::abort();
}

void run(std::string_view text, std::size_t piece) {
  std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return;
  std::string_view head = text.substr(0, end + 4);
  std::string_view body = text.substr(end + 4);
  MessageParser parser(20);
  http::Request request;
  if (parser.parse_request(head, request)) {
    check_request(head, parser, request);
    if (parser.framing() == Framing::kChunked) {
      MessageParser other(20);
      http::Request same;
      if (!other.parse_request(head, same)) std::abort();
      bool done_one = false;
      bool done_two = false;
      auto one = read_body(parser, body, piece, 256, done_one);
      auto two = read_body(other, body, body.size() + 1, 1, done_two);
      if (one.has_value() != two.has_value() || done_one != done_two) std::abort();
      if (one && *one != *two) std::abort();
    }
  }
  MessageParser client(20);
  http::Headers headers;
  int status = 0;
  if (client.parse_response(head, false, status, headers) &&
      client.framing() == Framing::kChunked) {
    bool done = false;
    static_cast<void>(read_body(client, body, piece, 256, done));
  }
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  atl::fuzz::run(text.substr(1), 1 + data[0] % 64);
  return 0;
}
