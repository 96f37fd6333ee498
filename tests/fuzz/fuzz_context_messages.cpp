// Everything that a host believes about the control stream of a context, which code in the sandbox
// can write to: messages and the JSON objects in them. The first byte says how the rest arrives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "contexts/json_object.hpp"
#include "contexts/message.hpp"

namespace {

using namespace atl::contexts;  // NOLINT: a fuzz target is one page

void check(bool ok) {
  if (!ok) __builtin_trap();
}

void object(std::string text) {
  std::string copy = text;
  auto parsed = JsonObject::parse(std::move(text));
  if (!parsed) return;
  check(parsed->text() == copy);
  auto keys = parsed->keys();
  check(keys.size() <= JsonObject::kMaxMembers);
  for (const std::string& key : keys) {
    check(key.size() <= JsonObject::kMaxKey);
    auto raw = parsed->raw(key);
    check(raw.has_value() && !raw->empty());
    // A slice is JSON again, and its first character says which kind.
    check(JsonObject::parse("{\"k\":" + std::string(*raw) + "}").has_value());
    check(parsed->string(key).has_value() == (raw->front() == '"'));
    if (auto number = parsed->integer(key)) check(std::to_string(*number) == *raw || *raw == "-0");
  }
}

void messages(std::string_view bytes, std::size_t step, bool cut_off) {
  MessageReader reader(cut_off);
  std::size_t taken = 0;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    for (;;) {
      std::size_t before = piece.size();
      auto message = reader.next(piece);
      taken += before - piece.size();
      check(reader.pending() <= taken && reader.pending() <= kMaxHeader + kMaxBundle);
      if (!message) return;
      if (!*message) break;
      bool text = (*message)->word == Word::kStdout || (*message)->word == Word::kStderr;
      check((*message)->body.size() <= (text ? kMaxText : kMaxBundle));
      if (!text) object(std::move((*message)->body));
    }
    check(piece.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 3) == 0) {
    object(std::string(bytes));
  } else {
    messages(bytes, (data[0] >> 2) + 1u, (data[0] & 3) == 1);
  }
  return 0;
}
