#include "api/e2b/connect.hpp"

#include <utility>

#include "api/common/text.hpp"
#include "api/e2b/protobuf.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"
#include "http/message.hpp"

namespace atl::api::e2b {

namespace {

using boost::json::object;

std::string_view media_type(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

}  // namespace

Result<std::optional<Envelope>> EnvelopeReader::next() {
  if (buffer_.size() < kEnvelopeHead) return std::nullopt;
  auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(buffer_[at]); };
  std::uint8_t flags = byte(0);
  if ((flags & kCompressed) != 0) {
    return fail(Code::kUnsupported, "compressed messages are not supported: send identity");
  }
  if ((flags & ~kEndOfStream) != 0) {
    return fail(Code::kInvalidArgument, "an envelope has unknown flags");
  }
  std::size_t size = std::size_t{byte(1)} << 24 | std::size_t{byte(2)} << 16 |
                     std::size_t{byte(3)} << 8 | std::size_t{byte(4)};
  if (size > kMaxMessage) {
    return fail(Code::kTooLarge,
                "a message is longer than " + std::to_string(kMaxMessage) + " bytes");
  }
  if (buffer_.size() < kEnvelopeHead + size) return std::nullopt;
  Envelope one{.flags = flags, .data = buffer_.substr(kEnvelopeHead, size)};
  buffer_.erase(0, kEnvelopeHead + size);
  return one;
}

std::string envelope(std::uint8_t flags, std::string_view data) {
  std::string out;
  out.reserve(kEnvelopeHead + data.size());
  out += static_cast<char>(flags);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(data.size() >> shift);
  out += data;
  return out;
}

std::string_view Framing::content_type() const {
  if (codec == Codec::kJson) return stream ? "application/connect+json" : "application/json";
  return stream ? "application/connect+proto" : "application/proto";
}

std::optional<Framing> framing_of(std::string_view content_type) {
  std::string_view type = media_type(content_type);
  for (Codec codec : {Codec::kJson, Codec::kProto}) {
    for (bool stream : {false, true}) {
      Framing framing{codec, stream};
      if (http::same_name(type, framing.content_type())) return framing;
    }
  }
  return std::nullopt;
}

Result<object> decode_message(Codec codec, const MessageType& type, std::string_view bytes) {
  if (codec == Codec::kProto) return from_protobuf(type, bytes);
  auto parsed = codec::parse(bytes, {.max_bytes = kMaxMessage + 1, .max_depth = 16});
  if (!parsed) return fail(parsed.error().to_error());
  object* message = parsed->if_object();
  if (message == nullptr) return fail(Code::kInvalidArgument, "a message is a JSON object");
  return std::move(*message);
}

std::string encode_message(Codec codec, const MessageType& type, const object& message) {
  return codec == Codec::kProto ? to_protobuf(type, message) : codec::serialize(message);
}

std::string_view connect_code(Code code) {
  switch (code) {
    case Code::kOk: return "internal";
    case Code::kInvalidArgument:
    case Code::kInvalidValue:
    case Code::kProgramNotFound:
    case Code::kProgramNotExecutable:
    case Code::kUnsupportedLanguage: return "invalid_argument";
    case Code::kNotFound:
    case Code::kSessionNotFound: return "not_found";
    case Code::kAlreadyExists: return "already_exists";
    case Code::kForbidden:
    case Code::kSandboxDisabled:
    case Code::kDangerousCommand: return "permission_denied";
    case Code::kUnauthenticated: return "unauthenticated";
    case Code::kConflict:
    case Code::kNotStarted:
    case Code::kIdempotencyMismatch: return "failed_precondition";
    case Code::kTooLarge:
    case Code::kResourceExhausted:
    case Code::kQuotaExceeded:
    case Code::kStorageFull: return "resource_exhausted";
    case Code::kUnsupported:
    case Code::kPolicyUnsupported:
    case Code::kLimitUnenforceable:
    case Code::kUnsupportedBackend:
    case Code::kNoPackageIndex: return "unimplemented";
    case Code::kCancelled: return "canceled";
    case Code::kCreateTimeout:
    case Code::kExecTimeout:
    case Code::kTransferTimeout: return "deadline_exceeded";
    case Code::kHostUnsupported:
    case Code::kBackend:
    case Code::kNoAvailableRuntime:
    case Code::kServerRestarted: return "unavailable";
    case Code::kExecutionFailed:
    case Code::kProtocol:
    case Code::kIo:
    case Code::kInternal: return "internal";
  }
  return "internal";
}

// As the Connect specification has them.
int connect_status(std::string_view code) {
  static constexpr std::pair<std::string_view, int> kStatuses[] = {
      {"canceled", 499},        {"invalid_argument", 400},   {"deadline_exceeded", 504},
      {"not_found", 404},       {"already_exists", 409},     {"permission_denied", 403},
      {"unauthenticated", 401}, {"resource_exhausted", 429}, {"failed_precondition", 400},
      {"aborted", 409},         {"out_of_range", 400},       {"unimplemented", 501},
      {"unavailable", 503}};
  for (const auto& [name, status] : kStatuses) {
    if (name == code) return status;
  }
  return 500;
}

object connect_error(const Error& error) {
  return {{"code", connect_code(error.code())}, {"message", to_utf8(error.message())}};
}

}  // namespace atl::api::e2b
