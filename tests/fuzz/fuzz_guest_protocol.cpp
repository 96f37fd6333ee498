// Everything that one end of the guest protocol believes about bytes from the other: frames,
// messages, packs. The first byte says how the rest arrives; what decodes must encode to the same
// bytes again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "guest/frame.hpp"
#include "guest/messages.hpp"
#include "guest/pack.hpp"

namespace {

using namespace atl::guest;  // NOLINT: a fuzz target is one page

void check(bool ok) {
  if (!ok) __builtin_trap();
}

template <typename T>
void round_trip(std::string_view bytes) {
  if (auto value = decoded<T>(bytes)) check(encoded(*value) == bytes);
}

void messages(std::string_view bytes) {
  round_trip<ExecArgs>(bytes);
  round_trip<ExecStarted>(bytes);
  round_trip<ExitInfo>(bytes);
  round_trip<ExecutionInfo>(bytes);
  round_trip<ProcessInfo>(bytes);
  round_trip<FileInfo>(bytes);
  round_trip<PutArgs>(bytes);
  round_trip<GetArgs>(bytes);
  round_trip<SearchArgs>(bytes);
  round_trip<WatchEvent>(bytes);
}

void frames(std::string_view bytes, std::size_t step) {
  FrameReader reader;
  while (!bytes.empty()) {
    auto room = reader.prepare();
    check(!room.empty());
    std::size_t size = std::min({bytes.size(), step, room.size()});
    std::copy_n(bytes.data(), size, room.data());
    reader.commit(size);
    bytes.remove_prefix(size);
    for (;;) {
      auto frame = reader.next();
      if (!frame) return;
      if (!*frame) break;
      check((*frame)->payload.size() == (*frame)->header.length &&
            (*frame)->header.length <= kMaxPayload);
      auto header = encode_header((*frame)->header);
      check(decode_header({header.data(), header.size()}).has_value());
      messages((*frame)->payload);
    }
  }
}

void packs(std::string_view bytes, std::size_t step) {
  PackReader reader({.entries = 1000, .bytes = 1 << 20});
  std::uint64_t content = 0;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    for (;;) {
      auto event = reader.next(piece);
      if (!event) return;
      if (*event == PackReader::Event::kEntry) {
        check(valid_pack_path(reader.entry().path));
        check(("/" + reader.entry().path + "/").find("/../") == std::string::npos);
      }
      if (*event == PackReader::Event::kContent) content += reader.content().size();
      check(content <= 1 << 20);
      if (*event == PackReader::Event::kMore ||
          (*event == PackReader::Event::kEnd && piece.empty())) {
        break;
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::size_t step = (data[0] >> 2) + 1u;
  switch (data[0] & 3) {
    case 0: frames(bytes, step); break;
    case 1: packs(bytes, step); break;
    default: messages(bytes); break;
  }
  return 0;
}
