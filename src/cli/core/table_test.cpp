#include "cli/core/table.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(Table, AlignsByColumnsAndLeavesNoBlanksAtTheEnd) {
  Table table({"ID", "NAME", "NOTE"});
  table.add({{"1"}, {"süß"}, {""}});
  table.add({{"22"}, {"a"}, {"x y"}});
  EXPECT_EQ(table.text(false),
            "ID  NAME  NOTE\n"
            "1   süß\n"
            "22  a     x y\n");
}

TEST(Table, ColoursOnlyWhereTheyAreWanted) {
  Table table({"ID", "STATUS"});
  table.add({{"1"}, {"ready", kGreen}});
  EXPECT_EQ(table.text(false), "ID  STATUS\n1   ready\n");
  EXPECT_EQ(table.text(true), "\x1b[1mID\x1b[0m  \x1b[1mSTATUS\x1b[0m\n1   \x1b[32mready\x1b[0m\n");
}

// What a server says cannot drive the terminal.
TEST(Table, ShowsNoControlCharacters) {
  Table table({"A"});
  table.add({{"x\x1b[2Jy\n"}});
  EXPECT_EQ(table.text(true), "\x1b[1mA\x1b[0m\nx?[2Jy?\n");
}

}  // namespace
}  // namespace atl::cli
