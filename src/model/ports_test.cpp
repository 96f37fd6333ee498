#include "model/ports.hpp"

#include <gtest/gtest.h>

namespace atl::model {
namespace {

TEST(Ports, OneAndRanges) {
  for (const char* text : {"0", "443", "8000-8999", "0-65535"}) {
    auto range = parse_ports(text);
    ASSERT_TRUE(range.has_value()) << text;
    EXPECT_EQ(ports_text(*range), text);
  }
  EXPECT_EQ(ports_text(*parse_ports("22-22")), "22");
}

TEST(Ports, NothingElse) {
  for (const char* text : {"", "-", "1-", "-1", "a", "1-2-3", " 1", "1 ", "+1", "65536", "1-65536",
                           "2-1", "0x10", "1,2"}) {
    EXPECT_FALSE(parse_ports(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace atl::model
