#include "cli/core/suggest.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("memory", "memory"), 0u);
  EXPECT_EQ(edit_distance("memroy", "memory"), 1u);
  EXPECT_EQ(edit_distance("memry", "memory"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance(std::string(100, 'a'), "a"), 32u);
}

std::string_view best(std::string_view typed) {
  Suggestion suggestion(typed);
  for (std::string_view word : {"run", "doctor", "backends", "completion", "version", "help"}) {
    suggestion.offer(word);
  }
  return suggestion.word();
}

TEST(Suggest, OffersTheNearest) {
  EXPECT_EQ(best("rnu"), "run");
  EXPECT_EQ(best("docter"), "doctor");
  EXPECT_EQ(best("backend"), "backends");
  EXPECT_EQ(best("comp"), "completion");
  EXPECT_EQ(best("xyz"), "");
  EXPECT_EQ(best(""), "");
}

}  // namespace
}  // namespace atl::cli
