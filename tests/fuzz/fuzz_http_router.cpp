// Any method and path through the router: what it captures is clean text that was in the path.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/disposition.hpp"
#include "http/router.hpp"
#include "http/sse.hpp"
#include "http/uri.hpp"

namespace atl::fuzz {

using http::Method;
using Kind = http::Router::Match::Kind;

const http::Router& table() {
  static const http::Router kTable = [] {
    http::Router router;
    http::Handler none = [](http::Exchange&) -> http::Task<void> { co_return; };
    router.add(Method::kGet, "/health", none);
    router.add(Method::kGet, "/a/{b}", none);
    router.add(Method::kPost, "/a/b", none);
    router.add(Method::kGet, "/a/{b}/c/{d}", none);
    router.add(Method::kPut, "/a/{b}/c/{rest...}", none);
    router.add(http::kAny, "/a/b/c/d/{rest...}", none);
    return router;
  }();
  return kTable;
}

void route(std::string_view path) {
  for (int i = 0; i < 7; ++i) {
    http::Router::Match match = table().match(static_cast<Method>(i), path);
    if ((match.kind == Kind::kFound) != (match.route != nullptr)) std::abort();
    if (match.kind == Kind::kWrongMethod && match.allow.empty()) std::abort();
    if (!path.ends_with(match.raw_rest)) std::abort();
    for (const auto& [name, value] : match.captures) {
      if (!http::is_clean_text(value)) std::abort();
      if (name != "rest" && value.empty()) std::abort();
    }
  }
  http::Request request;
  if (http::split_target(path, request) && request.path.empty()) std::abort();
  if (http::percent_decode(http::percent_encode(path)) != path) std::abort();
  static_cast<void>(http::parse_parameters(path));
}

void read_events(std::string_view text) {
  http::SseReader reader(1 << 20);
  std::string again;
  if (!reader.feed(text)) return;
  while (auto event = reader.next()) http::append_sse(again, event->event, event->id, event->data);
  // What was read once reads the same again.
  http::SseReader second(1 << 20);
  std::string third;
  if (!second.feed(again)) std::abort();
  while (auto event = second.next()) http::append_sse(third, event->event, event->id, event->data);
  if (again != third) std::abort();
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  atl::fuzz::route(text);
  atl::fuzz::read_events(text);
  return 0;
}
