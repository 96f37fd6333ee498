#include "control/stored_request.hpp"

#include <utility>

#include "codec/base64.hpp"
#include "codec/json.hpp"
#include "codec/sha256.hpp"

namespace atl::control {

namespace {

constexpr codec::DecodeOptions kLenient{.ignore_unknown = true, .keep_defaults = true};
constexpr codec::Limits kWide{.max_bytes = std::size_t{64} << 20, .max_depth = 16};

}  // namespace

// Input is any bytes, which JSON does not take.
std::string stored_request(ExecuteRequest request) {
  if (request.stdin_data) request.stdin_data = codec::base64(*request.stdin_data);
  return codec::encode(request);
}

Result<ExecuteRequest> read_stored_request(const std::string& text) {
  codec::Decoded<ExecuteRequest> read = codec::decode<ExecuteRequest>(text, kLenient, kWide);
  if (!read) return fail(std::move(read).error().to_error());
  if (read->stdin_data) {
    std::optional<std::string> bytes = codec::from_base64(*read->stdin_data);
    if (!bytes) return fail(Code::kInternal, "the stored input cannot be read");
    read->stdin_data = std::move(bytes);
  }
  return std::move(*read);
}

std::string content_hash(ExecuteRequest request) {
  request.timeout.reset();
  request.max_output_bytes.reset();
  request.track_files = false;
  request.terminal.reset();
  request.label.clear();
  return codec::sha256_hex(stored_request(std::move(request)));
}

}  // namespace atl::control
