// Any bytes as a multipart body: bounded, and the same whatever pieces it comes in.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/multipart.hpp"
#include "http/uri.hpp"

namespace atl::fuzz {

using Kind = http::MultipartEvent::Kind;

std::string run(std::string_view body, std::size_t step) {
  http::MultipartParser parser("b", {.header_bytes = 200, .headers = 4, .parts = 5});
  std::string said;
  for (std::size_t at = 0; at < body.size(); at += step) {
    parser.feed(body.substr(at, step));
    for (;;) {
      Result<http::MultipartEvent> event = parser.next();
      if (!event) return said + "!";
      if (event->kind == Kind::kNeedMore) break;
      if (event->kind == Kind::kData && event->data.empty()) std::abort();
      if (!http::is_clean_text(event->name)) std::abort();
      if (event->kind == Kind::kPartBegin) said += "<" + event->name + ">";
      if (event->kind == Kind::kData) said += event->data;
      if (event->kind == Kind::kPartEnd) said += ";";
    }
  }
  return said + (parser.finish() ? "END" : "?");
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(atl::http::multipart_boundary(text));
  std::size_t step = 1 + data[0] % 64;
  text.remove_prefix(1);
  if (atl::fuzz::run(text, step) != atl::fuzz::run(text, std::max<std::size_t>(1, text.size()))) {
    std::abort();
  }
  return 0;
}
