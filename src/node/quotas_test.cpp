#include "node/quotas.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/quota.hpp"

namespace atl::node {
namespace {

std::string refused_by(const Result<Ledger::Reservation>& place) {
  return place ? "" : std::string(quota_of(place.error()));
}

TEST(Ledger, ThePlaceIsTakenBeforeItIsFilled) {
  Ledger ledger("snapshot", {.count = 2, .bytes = 100, .files = 10});
  auto one = ledger.reserve("a", {.count = 1});
  auto two = ledger.reserve("a", {.count = 1});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(refused_by(ledger.reserve("a", {.count = 1})), "snapshots");
  EXPECT_TRUE(ledger.reserve("b", {.count = 1})) << "another tenant has its own";
  EXPECT_TRUE(one->grow({.bytes = 60}));
  EXPECT_EQ(quota_of(two->grow({.bytes = 41}).error()), "snapshot_bytes");
  EXPECT_TRUE(two->grow({.bytes = 40, .files = 10}));
  EXPECT_EQ(quota_of(one->grow({.files = 1}).error()), "snapshot_files");
}

TEST(Ledger, WhatIsNotKeptIsGivenBack) {
  Ledger ledger("package", {.count = 1, .bytes = 10, .files = 1});
  {
    auto given_up = ledger.reserve("a", {.count = 1});
    ASSERT_TRUE(given_up);
    EXPECT_TRUE(given_up->grow({.bytes = 10}));
    Ledger::Reservation moved = std::move(*given_up);
    EXPECT_FALSE(ledger.reserve("a", {.count = 1}));
  }
  auto kept = ledger.reserve("a", {.count = 1, .bytes = 10});
  ASSERT_TRUE(kept);
  kept->keep();
  EXPECT_FALSE(ledger.reserve("a", {.count = 1}));
  ledger.remove("a", {.count = 1, .bytes = 10});
  EXPECT_TRUE(ledger.reserve("a", {.count = 1}));
}

TEST(Ledger, WhoHasTooMuchMayStillShrink) {
  Ledger ledger("workspace", {.count = 5, .bytes = 10, .files = 5});
  ledger.add("a", {.count = 6, .bytes = 100, .files = 50});
  EXPECT_TRUE(ledger.reserve("a", {}));
  EXPECT_EQ(refused_by(ledger.reserve("a", {.bytes = UINT64_MAX})), "workspace_bytes");
  ledger.remove("a", {.count = 7, .bytes = 95, .files = 50});
  EXPECT_TRUE(ledger.reserve("a", {.count = 5, .bytes = 5}));
}

TEST(Space, TheSmallerOfBothFloorsCounts) {
  EXPECT_TRUE(check_space("/tmp", {.bytes = 0, .percent = 100}));
  EXPECT_TRUE(check_space("/tmp", {.bytes = UINT64_MAX, .percent = 0}));
  auto full = check_space("/tmp", {.bytes = UINT64_MAX, .percent = 100});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code(), Code::kStorageFull);
  EXPECT_FALSE(check_space("/tmp", {.bytes = 0, .percent = 0}, UINT64_MAX));
}

TEST(Space, AFolderIsCountedWithoutItsLinks) {
  char name[] = "/tmp/atoll-quotas-XXXXXX";
  std::string folder = ::mkdtemp(name);
  std::filesystem::create_directories(folder + "/k/sub");
  std::ofstream(folder + "/k/sub/f") << "12345";
  std::filesystem::create_symlink("/usr", folder + "/k/out");
  auto all = amounts_in(folder);
  EXPECT_EQ(all["k"].bytes, 5u);
  EXPECT_EQ(all["k"].files, 3u);
  EXPECT_TRUE(amounts_in(folder + "/missing").empty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace atl::node
