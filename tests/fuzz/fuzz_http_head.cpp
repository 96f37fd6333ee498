// Any bytes as the requests of one connection: the same whatever pieces they come in, and what goes
// on to the server reads as requests for the one host.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "egress/http_requests.hpp"

namespace atl::fuzz {

using egress::HttpRequests;

bool take(std::string_view bytes, std::size_t piece, std::string& forward) {
  HttpRequests requests("a.test", 80);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (requests.take(bytes.substr(at, piece), forward)) return false;
  }
  return true;
}

void run(std::string_view bytes, std::size_t piece) {
  std::string whole, pieces, again;
  bool one = take(bytes, bytes.size(), whole);
  bool other = take(bytes, piece, pieces);
  if (one != other || whole != pieces) std::abort();
  // A second relay behind this one agrees.
  if (!whole.empty() && (!take(whole, whole.size(), again) || again != whole)) std::abort();
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  atl::fuzz::run(bytes.substr(1), 1 + data[0] % 64);
  return 0;
}
