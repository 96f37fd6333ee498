// What clients of E2B send: envelopes of the Connect protocol, and binary protobuf. Whatever is
// read must be written and read again without a change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/e2b/connect.hpp"
#include "api/e2b/protobuf.hpp"

namespace {

using namespace atl::api::e2b;

const MessageType* const kTypes[] = {&kStartRequest,     &kSelectRequest,      &kUpdateRequest,
                                     &kSendInputRequest, &kStreamInputRequest, &kSendSignalRequest,
                                     &kListDirRequest,   &kWatchRequest,       &kProcessStream,
                                     &kEntryResponse,    &kWatcherEvents};

void read_messages(const MessageType& type, std::string_view bytes) {
  auto first = from_protobuf(type, bytes);
  if (!first) return;
  std::string written = to_protobuf(type, *first);
  auto second = from_protobuf(type, written);
  if (!second || to_protobuf(type, *second) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const MessageType& type = *kTypes[data[0] % std::size(kTypes)];
  bytes.remove_prefix(1);
  read_messages(type, bytes);
  EnvelopeReader reader;
  std::size_t half = bytes.size() / 2;
  for (std::string_view part : {bytes.substr(0, half), bytes.substr(half)}) {
    reader.feed(part);
    for (;;) {
      auto one = reader.next();
      if (!one) return 0;
      if (!*one) break;
      if ((*one)->data.size() > kMaxMessage) std::abort();
      read_messages(type, (*one)->data);
      (void)decode_message(Codec::kJson, type, (*one)->data);
    }
  }
  return 0;
}
