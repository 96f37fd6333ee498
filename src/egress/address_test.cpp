#include "egress/address.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

bool is_public_text(const char* text) { return is_public(Address::parse(text).value()); }

TEST(Address, BothFormsOfOneAreEqual) {
  EXPECT_EQ(Address::parse("10.0.0.1"), Address::parse("::ffff:10.0.0.1"));
  EXPECT_EQ(Address::parse("10.0.0.1"), Address::v4(0x0a000001));
  EXPECT_EQ(Address::parse("::ffff:10.0.0.1")->to_string(), "10.0.0.1");
  EXPECT_EQ(Address::parse("2001:DB8:0::1")->to_string(), "2001:db8::1");
  EXPECT_EQ(Address::parse("10.0.0.1")->as_v4(), 0x0a000001u);
}

TEST(Address, OtherSpellingsAreNone) {
  using namespace std::string_view_literals;
  for (std::string_view text : {""sv, "10.0.0"sv, "0x7f.1"sv, "2130706433"sv, "010.0.0.1"sv,
                                "fe80::1%eth0"sv, "1.2.3.4 "sv, "1.2.3.4\0"sv, "::1::"sv, "[::1]"sv,
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"sv}) {
    EXPECT_FALSE(Address::parse(text)) << text;
  }
}

TEST(Network, HoldsItsAddresses) {
  Network ten = Network::parse("10.0.0.0/8").value();
  EXPECT_TRUE(ten.contains(Address::parse("10.255.0.1").value()));
  EXPECT_TRUE(ten.contains(Address::parse("::ffff:10.1.2.3").value()));
  EXPECT_FALSE(ten.contains(Address::parse("11.0.0.0").value()));
  EXPECT_FALSE(ten.contains(Address::parse("a00::").value()));
  Network six = Network::parse("2001:db8::/33").value();
  EXPECT_TRUE(six.contains(Address::parse("2001:db8:7fff::1").value()));
  EXPECT_FALSE(six.contains(Address::parse("2001:db8:8000::1").value()));
  EXPECT_TRUE(Network::parse("0.0.0.0/0")->contains(Address::parse("8.8.8.8").value()));
  EXPECT_FALSE(Network::parse("0.0.0.0/0")->contains(Address::parse("::1").value()));
  EXPECT_EQ(Network::parse("192.0.2.7")->prefix, 128u);
}

TEST(Network, BadOnesAreNone) {
  for (const char* text : {"10.0.0.1/8", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/-1",
                           "10.0.0.0/8x", "/8", "10.0.0.0/0008", "fd00::1/8"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
}

TEST(Address, WhatIsNotPublic) {
  for (const char* text : {"0.0.0.0",
                           "10.0.0.1",
                           "100.64.0.1",
                           "100.100.100.200",
                           "127.0.0.1",
                           "169.254.169.254",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::10.0.0.1",
                           "::ffff:127.0.0.1",
                           "fd00:ec2::254",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "2001:db8::1",
                           "64:ff9b::a9fe:a9fe",
                           "64:ff9b:1::a00:1",
                           "2002:a9fe:a9fe::",
                           "2002:7f00:1::",
                           "2001:0:1:2:3:4:80ff:fffe"}) {
    EXPECT_FALSE(is_public_text(text)) << text;
  }
  for (const char* text :
       {"1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "192.0.1.1", "198.20.0.1",
        "223.255.255.255", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1"}) {
    EXPECT_TRUE(is_public_text(text)) << text;
  }
}

}  // namespace
}  // namespace atl::egress
