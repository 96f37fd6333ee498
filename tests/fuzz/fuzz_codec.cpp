// Any text through the JSON decoder: it must answer or refuse, and what it took it must give back.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "codec/json.hpp"

namespace atl::fuzz {

enum class Level { kAllow, kAsk, kDeny };
BOOST_DESCRIBE_ENUM(Level, kAllow, kAsk, kDeny)

struct Inner {
  std::int8_t tiny = 0;
  std::optional<std::uint64_t> large;
  std::optional<double> real;
  bool operator==(const Inner&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (tiny, large, real))

struct Document {
  std::string text;
  std::optional<std::vector<std::string>> list;
  std::optional<std::map<std::string, Inner>> map;
  std::optional<Level> level;
  std::optional<bool> flag;
  bool operator==(const Document&) const = default;
};
BOOST_DESCRIBE_STRUCT(Document, (), (text, list, map, level, flag))

void run(std::string_view text, codec::DecodeOptions options) {
  codec::Decoded<Document> first = codec::decode<Document>(text, options);
  if (!first) return;
  codec::Decoded<Document> second = codec::decode<Document>(codec::encode(*first));
  if (!second || *second != *first) std::abort();
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  atl::fuzz::run(text, {});
  atl::fuzz::run(text, {.ignore_unknown = true, .keep_defaults = true});
  return 0;
}
