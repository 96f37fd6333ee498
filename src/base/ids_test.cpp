#include "base/ids.hpp"

#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Ids, SortInOrderOfBirth) {
  std::string last;
  for (int i = 0; i < 10'000; ++i) {
    std::string id = make_sortable_id();
    EXPECT_LT(last, id);
    last = id;
  }
}

TEST(Ids, KnowTheirTime) {
  std::string id = make_sortable_id();
  std::uint64_t made = id_milliseconds(id);
  EXPECT_EQ(id_milliseconds(first_id_at(made)), made);
  EXPECT_LE(first_id_at(made), id);
  EXPECT_GT(first_id_at(made + 1), id);
  EXPECT_EQ(first_id_at(0), std::string(26, '0'));
}

TEST(Ids, FitHostNamesAndCgroupNames) {
  std::string id = make_sortable_id();
  EXPECT_EQ(id.size(), 26u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz"), std::string::npos) << id;
}

TEST(Ids, AreUniqueAcrossThreads) {
  std::vector<std::vector<std::string>> made(4);
  {
    std::vector<std::jthread> threads;
    for (auto& list : made) {
      threads.emplace_back([&list] {
        for (int i = 0; i < 2000; ++i) list.push_back(make_sortable_id());
      });
    }
  }
  std::set<std::string> all;
  for (const auto& list : made) all.insert(list.begin(), list.end());
  EXPECT_EQ(all.size(), 8000u);
}

static_assert(!std::is_same_v<SandboxId, SessionId>);
static_assert(!std::is_convertible_v<std::string, SandboxId>);

}  // namespace
}  // namespace atl
