#include "guest/pack.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace atl::guest {
namespace {

using Event = PackReader::Event;

struct Unpacked {
  std::vector<PackEntry> entries;
  std::vector<std::string> contents;
  bool ended = false;
};

Result<Unpacked> unpack(std::string_view bytes, std::size_t step, PackLimits limits = {}) {
  PackReader reader(limits);
  Unpacked out;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    for (;;) {
      ATOLL_TRY(Event event, reader.next(piece));
      if (event == Event::kMore || event == Event::kEnd) break;
      if (event == Event::kEntry) {
        out.entries.push_back(reader.entry());
        out.contents.emplace_back();
      }
      if (event == Event::kContent) out.contents.back().append(reader.content());
    }
    if (!piece.empty()) {
      ATOLL_TRY(Event event, reader.next(piece));
      EXPECT_NE(event, Event::kMore);
    }
  }
  out.ended = reader.ended();
  return out;
}

Code code_of(const PackEntry& entry, PackLimits limits = {}) {
  auto result = unpack(pack_entry(entry), 1000, limits);
  return result ? Code::kOk : result.error().code();
}

TEST(Pack, RoundTripInAnyPieces) {
  std::string bytes =
      pack_entry({.kind = FileInfo::kDirectory, .mode = 0755, .mtime_ns = 5, .path = "d"}) +
      pack_entry({.mode = 0600, .mtime_ns = 6, .size = 5, .path = "d/f"}) + "hello" +
      pack_entry({.path = "empty"}) +
      pack_entry({.kind = FileInfo::kSymlink, .mode = 0777, .path = "l", .target = "../x"}) +
      std::string(pack_end());
  for (std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{30}, bytes.size()}) {
    auto out = unpack(bytes, step);
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_TRUE(out->ended);
    ASSERT_EQ(out->entries.size(), 4u);
    EXPECT_EQ(out->entries[1].path, "d/f");
    EXPECT_EQ(out->entries[1].mode, 0600u);
    EXPECT_EQ(out->contents[1], "hello");
    EXPECT_EQ(out->contents[2], "");
    EXPECT_EQ(out->entries[3].target, "../x");
  }
  auto cut = unpack(std::string_view(bytes).substr(0, bytes.size() - 1), 10);
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->ended);
  EXPECT_FALSE(unpack(bytes + "x", bytes.size() + 1));
  EXPECT_FALSE(unpack(bytes + "x", 1));
}

TEST(Pack, RefusesPathsThatLeadElsewhere) {
  for (const char* path :
       {"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "../a", "a/.", "./a"}) {
    EXPECT_EQ(code_of({.path = path}), Code::kInvalidArgument) << path;
  }
  EXPECT_EQ(code_of({.path = std::string("a\0b", 3)}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.path = std::string(kMaxPackPath + 1, 'a')}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.path = std::string(kMaxPackPath, 'a')}), Code::kOk);
  EXPECT_EQ(code_of({.path = "..."}), Code::kOk);
}

TEST(Pack, RefusesContradictions) {
  EXPECT_EQ(code_of({.kind = FileInfo::kOther, .path = "a"}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.kind = FileInfo::kDirectory, .size = 1, .path = "a"}),
            Code::kInvalidArgument);
  EXPECT_EQ(code_of({.kind = FileInfo::kSymlink, .path = "a"}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.path = "a", .target = "b"}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.mode = 0200000, .path = "a"}), Code::kInvalidArgument);
}

TEST(Pack, KeepsItsLimits) {
  EXPECT_EQ(code_of({.size = 10, .path = "a"}, {.bytes = 10}), Code::kOk);
  EXPECT_EQ(code_of({.size = 11, .path = "a"}, {.bytes = 10}), Code::kInvalidArgument);
  EXPECT_EQ(code_of({.size = UINT64_MAX, .path = "a"}), Code::kInvalidArgument);
  std::string two = pack_entry({.path = "a"}) + pack_entry({.path = "b"});
  EXPECT_TRUE(unpack(two, 100, {.entries = 2}));
  EXPECT_FALSE(unpack(two, 100, {.entries = 1}));
}

}  // namespace
}  // namespace atl::guest
