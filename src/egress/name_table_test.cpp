#include "egress/name_table.hpp"

#include <set>

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

TEST(NameTable, NamesAndAddressesAreOneToOne) {
  NameTable table;
  std::set<Address> seen;
  for (int i = 0; i < 1000; ++i) {
    std::string name = "h" + std::to_string(i) + ".test";
    std::optional<Address> address = table.address_of(name);
    ASSERT_TRUE(address);
    EXPECT_TRUE(NameTable::is_synthetic(*address));
    EXPECT_GE(address->as_v4(), NameTable::kFirst);
    EXPECT_TRUE(seen.insert(*address).second);
    EXPECT_EQ(table.address_of(name), address);
    ASSERT_NE(table.name_of(*address), nullptr);
    EXPECT_EQ(*table.name_of(*address), name);
  }
  EXPECT_EQ(table.size(), 1000u);
}

TEST(NameTable, AnAddressFollowsFromItsName) {
  NameTable one, other;
  one.address_of("a.test");
  std::optional<Address> address = one.address_of("b.test");
  EXPECT_EQ(other.address_of("b.test"), address);
}

TEST(NameTable, IsFullAtItsLimit) {
  NameTable table;
  for (std::size_t i = 0; i < NameTable::kMaxNames; ++i) {
    ASSERT_TRUE(table.address_of("h" + std::to_string(i)));
  }
  EXPECT_FALSE(table.address_of("one.more"));
  EXPECT_TRUE(table.address_of("h0"));
}

TEST(NameTable, OtherAddressesStandForNoName) {
  NameTable table;
  EXPECT_EQ(table.name_of(NameTable::own()), nullptr);
  EXPECT_EQ(table.name_of(NameTable::blocked()), nullptr);
  EXPECT_EQ(table.name_of(Address::parse("2001:db8::1").value()), nullptr);
  EXPECT_TRUE(NameTable::is_synthetic(Address::parse("198.19.255.255").value()));
  EXPECT_FALSE(NameTable::is_synthetic(Address::parse("198.20.0.0").value()));
  EXPECT_FALSE(NameTable::is_synthetic(Address::parse("198.17.255.255").value()));
  EXPECT_FALSE(NameTable::is_synthetic(Address::parse("::1").value()));
}

}  // namespace
}  // namespace atl::egress
