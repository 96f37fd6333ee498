#include "egress/dns_message.hpp"

#include <gtest/gtest.h>

namespace atl::egress::dns {
namespace {

using namespace std::string_literals;

// A query for example.test, written by hand.
std::string query_bytes(const std::string& name = "\7example\4test\0"s, std::uint8_t type = 1,
                        const std::string& flags = "\1\0"s,
                        const std::string& counts = "\0\1\0\0"s) {
  return "\x12\x34"s + flags + counts + "\0\0\0\0"s + name + '\0' + static_cast<char>(type) +
         "\0\1"s;
}

Query asked(const std::string& bytes = query_bytes()) { return read_query(bytes).query.value(); }

TEST(DnsQuery, IsRead) {
  Query query = asked(query_bytes("\7ExAmPlE\4test\0"s, 28));
  EXPECT_EQ(query.id, 0x1234);
  EXPECT_EQ(query.name, "example.test");
  EXPECT_TRUE(query.is(Type::kAaaa));
  EXPECT_TRUE(query.recursion_desired);
  EXPECT_EQ(asked(make_query(7, "a.b.test", Type::kA)).name, "a.b.test");
}

TEST(DnsQuery, ImpossibleNamesAreEmpty) {
  for (const std::string& name : {"\3a b\4test\0"s, "\3a.b\4test\0"s, "\0"s, "\3a\0b\4test\0"s}) {
    EXPECT_EQ(asked(query_bytes(name)).name, "");
  }
}

TEST(DnsQuery, BadOnesAreAnsweredWithFormError) {
  std::string pointer = query_bytes("\300\14"s);  // to itself
  std::string two = query_bytes("\1a\0"s, 1, "\1\0"s, "\0\2\0\0"s);
  std::string notify = query_bytes("\1a\0"s, 1, "\x21\0"s);
  std::string chaos = query_bytes();
  chaos.back() = 3;
  std::string cut = query_bytes().substr(0, 20);
  std::string label = query_bytes("\100"s + std::string(64, 'a') + "\0"s);
  for (const std::string& bytes : {pointer, two, notify, chaos, cut, label}) {
    ReadQuery read = read_query(bytes);
    EXPECT_FALSE(read.query);
    ASSERT_EQ(read.refusal.size(), 12u);
    EXPECT_EQ(read.refusal.substr(0, 4), "\x12\x34\x80\x01"s);
  }
}

TEST(DnsQuery, AnswersAndScrapsAreDropped) {
  for (const std::string& bytes :
       {""s, "\x12"s, std::string(11, '\0'), query_bytes("\1a\0"s, 1, "\x81\0"s)}) {
    ReadQuery read = read_query(bytes);
    EXPECT_FALSE(read.query);
    EXPECT_EQ(read.refusal, "");
  }
}

TEST(DnsAnswer, RepeatsTheQuestionAsItWasAsked) {
  std::string bytes =
      answer_address(asked(query_bytes("\7ExAmPlE\4test\0"s)), Address::v4(0xc6120010), 30);
  EXPECT_EQ(bytes,
            "\x12\x34\x81\x80\0\1\0\1\0\0\0\0\7ExAmPlE\4test\0\0\1\0\1"s
            "\xc0\x0c\0\1\0\1\0\0\0\x1e\0\4\xc6\x12\0\x10"s);
}

TEST(DnsAnswer, WithoutRecords) {
  std::string none = answer_nothing(asked(), Status::kNoName);
  EXPECT_EQ(none.substr(0, 8), "\x12\x34\x81\x83\0\1\0\0"s);
  EXPECT_EQ(answer_nothing(asked(), Status::kOk).substr(2, 2), "\x81\x80"s);
}

TEST(DnsAnswer, OfAnAddressIsItsName) {
  EXPECT_EQ(address_in("16.0.18.198.in-addr.arpa"), Address::parse("198.18.0.16"));
  for (const char* name :
       {"0.18.198.in-addr.arpa", "1.16.0.18.198.in-addr.arpa", "in-addr.arpa",
        "a.b.c.d.in-addr.arpa", "16.0.18.198.ip6.arpa", "256.0.18.198.in-addr.arpa"}) {
    EXPECT_FALSE(address_in(name)) << name;
  }
  std::string bytes = answer_name(asked(), "a.test", 30);
  EXPECT_TRUE(bytes.ends_with("\0\x0c\0\1\0\0\0\x1e\0\x08\1a\4test\0"s));
}

// A reply to make_query(1, "a.test", kA).
std::string reply_bytes(const std::string& records, char count,
                        const std::string& flags = "\x81\x80"s) {
  return "\0\1"s + flags + "\0\1\0"s + count + "\0\0\0\0"s + "\1a\4test\0\0\1\0\1"s + records;
}
const std::string kAddress = "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\1\2\3\4"s;
const std::string kAlias = "\xc0\x0c\0\5\0\1\0\0\0\x05\0\4\1b\xc0\x0e"s;  // a.test -> b.test
const std::string kOfAlias = "\1b\4test\0\0\1\0\1\0\0\1\0\0\4\5\6\7\x08"s;

TEST(DnsReply, AddressesAndTheLeastTtl) {
  auto reply = read_reply(reply_bytes(kAddress, 1), 1, "a.test", Type::kA);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->addresses, std::vector{Address::parse("1.2.3.4").value()});
  EXPECT_EQ(reply->ttl, 60u);
  auto alias = read_reply(reply_bytes(kAlias + kOfAlias, 2), 1, "a.test", Type::kA);
  ASSERT_TRUE(alias);
  EXPECT_EQ(alias->addresses, std::vector{Address::parse("5.6.7.8").value()});
  EXPECT_EQ(alias->ttl, 5u);
}

TEST(DnsReply, RecordsThatTheNameDoesNotLeadToDoNotCount) {
  auto reply = read_reply(reply_bytes(kOfAlias, 1), 1, "a.test", Type::kA);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->addresses.empty());
  EXPECT_EQ(reply->ttl, 0u);
}

TEST(DnsReply, ForAnotherQueryIsNone) {
  std::string bytes = reply_bytes(kAddress, 1);
  EXPECT_FALSE(read_reply(bytes, 2, "a.test", Type::kA));
  EXPECT_FALSE(read_reply(bytes, 1, "b.test", Type::kA));
  EXPECT_FALSE(read_reply(bytes, 1, "a.test", Type::kAaaa));
  EXPECT_FALSE(read_reply(reply_bytes(kAddress, 1, "\x01\x80"s), 1, "a.test", Type::kA));
  EXPECT_FALSE(read_reply(bytes.substr(0, bytes.size() - 1), 1, "a.test", Type::kA));
  std::string loop = reply_bytes("\xc0\x1c\0\1\0\1\0\0\0\x3c\0\4\1\2\3\4"s, 1);  // points at itself
  EXPECT_FALSE(read_reply(loop, 1, "a.test", Type::kA));
}

TEST(DnsReply, StatusesAreTold) {
  EXPECT_EQ(read_reply(reply_bytes("", 0, "\x81\x83"s), 1, "a.test", Type::kA)->status,
            Status::kNoName);
  EXPECT_EQ(read_reply(reply_bytes("", 0, "\x81\x85"s), 1, "a.test", Type::kA)->status,
            Status::kServerFailure);
  EXPECT_TRUE(read_reply(reply_bytes(kAddress.substr(0, 5), 1, "\x83\x80"s), 1, "a.test", Type::kA)
                  ->truncated);
}

}  // namespace
}  // namespace atl::egress::dns
