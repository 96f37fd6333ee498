// Any bytes as what a TLS client says first: the same whatever pieces they come in, and a name only
// in its canonical form.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egress/client_hello.hpp"
#include "egress/host_name.hpp"

namespace atl::fuzz {

using egress::ClientHelloReader;

void run(std::string_view bytes, std::size_t piece) {
  ClientHelloReader whole, pieces;
  ClientHelloReader::State state = whole.take(bytes);
  ClientHelloReader::State last = ClientHelloReader::State::kReading;
  for (std::size_t end = 0; end < bytes.size() && last == ClientHelloReader::State::kReading;) {
    end = std::min(end + piece, bytes.size());
    last = pieces.take(bytes.substr(0, end));
  }
  if (state != last) std::abort();
  if (whole.hello().server_name != pieces.hello().server_name) std::abort();
  const auto& name = whole.hello().server_name;
  if (name && egress::canonical_name(*name) != *name) std::abort();
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  atl::fuzz::run(bytes.substr(1), 1 + data[0] % 64);
  return 0;
}
