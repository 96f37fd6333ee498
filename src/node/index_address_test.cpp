#include "node/index_address.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace atl::node {
namespace {

TEST(IndexAddress, OfNamesAndAddresses) {
  IndexAddress index = index_address("https://user:p@ss@pypi.example.org/simple").value();
  EXPECT_EQ(index.host, "pypi.example.org");
  EXPECT_EQ(index.port, 443);
  EXPECT_FALSE(index.on_loopback);
  EXPECT_EQ(index.inside, "pypi.example.org");
  EXPECT_EQ(index.url, "https://user:p@ss@pypi.example.org/simple");
  index = index_address("http://10.0.0.7:3141/root/@x").value();
  EXPECT_EQ(index.inside, "10.0.0.7");
  EXPECT_EQ(index.port, 3141);
  index = index_address("http://[fd00::5]").value();
  EXPECT_EQ(index.host, "fd00::5");
  EXPECT_EQ(index.port, 80);
}

TEST(IndexAddress, LoopbackHasAnotherNameInside) {
  IndexAddress index = index_address("http://me:secret@127.0.0.1:3141/simple").value();
  EXPECT_TRUE(index.on_loopback);
  EXPECT_EQ(index.url, "http://me:secret@packages-index.internal:3141/simple");
  EXPECT_EQ(index_address("http://[::1]:81/").value().url, "http://packages-index.internal:81/");
  EXPECT_EQ(index_address("http://localhost").value().url, "http://packages-index.internal");
  EXPECT_TRUE(index_address("http://pypi.localhost/").value().on_loopback);
  EXPECT_FALSE(index_address("http://127.0.0.1.example.org/").value().on_loopback);
}

TEST(IndexAddress, WhatIsNoUrl) {
  for (const char* bad : {"", "pypi.example.org", "ftp://a/", "http://", "http:///simple",
                          "http://a:b/", "http://a:99999/", "http://[::1/", "http://[::1]x/"}) {
    EXPECT_EQ(index_address(bad).error().code(), Code::kInvalidValue) << bad;
  }
}

TEST(IndexAddress, LooksUpHosts) {
  EXPECT_EQ(look_up_host("192.0.2.7").value(), std::vector<std::string>{"192.0.2.7"});
  EXPECT_EQ(look_up_host("fd00::5").value(), std::vector<std::string>{"fd00::5"});
  std::vector<std::string> local = look_up_host("localhost").value();
  EXPECT_TRUE(std::ranges::find(local, "127.0.0.1") != local.end());
  EXPECT_EQ(look_up_host("").error().code(), Code::kInvalidValue);
}

}  // namespace
}  // namespace atl::node
