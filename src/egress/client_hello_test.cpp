#include "egress/client_hello.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

using namespace std::string_literals;
using State = ClientHelloReader::State;

std::string counted(std::size_t size_bytes, const std::string& bytes) {
  std::string text;
  for (std::size_t i = size_bytes; i-- > 0;) text += static_cast<char>(bytes.size() >> (8 * i));
  return text + bytes;
}

std::string extension(unsigned type, const std::string& content) {
  return std::string{static_cast<char>(type >> 8), static_cast<char>(type)} + counted(2, content);
}

std::string name_extension(const std::string& name) {
  return extension(0, counted(2, "\0"s + counted(2, name)));
}

std::string hello_body(const std::string& extensions) {
  return "\3\3"s + std::string(32, 'r') + counted(1, "session") + counted(2, "\x13\x01"s) +
         counted(1, "\0"s) + counted(2, extensions);
}

std::string message(const std::string& body) { return "\1"s + counted(3, body); }

// In records of at most `size` bytes.
std::string records(const std::string& bytes, std::size_t size = 1 << 14) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    text += "\x16\3\1"s + counted(2, bytes.substr(at, size));
  }
  return text;
}

std::string whole(const std::string& extensions, std::size_t size = 1 << 14) {
  return records(message(hello_body(extensions)), size);
}

State read(const std::string& bytes, ClientHello* hello = nullptr) {
  ClientHelloReader reader;
  State state = reader.take(bytes);
  if (hello != nullptr) *hello = reader.hello();
  return state;
}

TEST(ClientHello, TellsTheServerName) {
  ClientHello hello;
  std::string grease = extension(0x0a0a, "");
  EXPECT_EQ(read(whole(grease + name_extension("API.Example.test") + extension(16, "h2")), &hello),
            State::kDone);
  EXPECT_EQ(hello.server_name, "api.example.test");
  EXPECT_FALSE(hello.has_encrypted_hello);
  EXPECT_EQ(read(whole(extension(0xfe0d, "x") + name_extension("a.test")), &hello), State::kDone);
  EXPECT_TRUE(hello.has_encrypted_hello);
}

TEST(ClientHello, WithoutAName) {
  ClientHello hello;
  EXPECT_EQ(read(whole(extension(16, "h2")), &hello), State::kDone);
  EXPECT_FALSE(hello.server_name);
  std::string body = hello_body("");
  EXPECT_EQ(read(records(message(body.substr(0, body.size() - 2))), &hello), State::kDone);
}

TEST(ClientHello, InPiecesAndSmallRecords) {
  for (std::size_t record : {1, 3, 16, 100, 4096}) {
    std::string bytes = whole(name_extension("a.test"), record);
    ClientHelloReader reader;
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      ASSERT_EQ(reader.take(std::string_view(bytes).substr(0, size)), State::kReading) << size;
    }
    EXPECT_EQ(reader.take(bytes), State::kDone);
    EXPECT_EQ(reader.hello().server_name, "a.test");
  }
}

TEST(ClientHello, WhatFollowsIsNotItsAffair) {
  EXPECT_EQ(read(whole(name_extension("a.test")) + "\x17\3\3\0\4data"s), State::kDone);
}

TEST(ClientHello, LengthsMustFitToTheByte) {
  std::string good = whole(name_extension("a.test") + extension(16, "h2"));
  ASSERT_EQ(read(good), State::kDone);
  // A length byte that is off by one gives another message, or a malformed one.
  std::size_t name_at = good.find("a.test");
  for (std::size_t at : {name_at - 1, name_at - 4, name_at - 6, name_at - 10}) {
    for (int change : {-1, 1}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] + change);
      EXPECT_EQ(read(bytes), State::kRefused) << at << " " << change;
    }
  }
}

TEST(ClientHello, TwoNamesOrAnExtensionTwiceAreRefused) {
  std::string two =
      extension(0, counted(2, "\0"s + counted(2, "a.test") + "\0"s + counted(2, "b.test")));
  EXPECT_EQ(read(whole(two)), State::kRefused);
  EXPECT_EQ(read(whole(name_extension("a.test") + name_extension("b.test"))), State::kRefused);
  EXPECT_EQ(read(whole(extension(16, "") + extension(16, ""))), State::kRefused);
  EXPECT_EQ(read(whole(name_extension("a b"))), State::kRefused);
  EXPECT_EQ(read(whole(name_extension(""))), State::kRefused);
}

TEST(ClientHello, OtherProtocolsAreRefused) {
  for (const std::string& bytes :
       {"\x80\x2e\1\3\1"s, "GET / HTTP/1.1\r\n"s, "\x15\3\1\0\2\2\x28"s, "\x16\3\1\0\0"s,
        "\x16\2\0\0\5"s, "\x16\3\1\x7f\xff"s, records("\2\0\0\0"s), records("\1\1\0\1"s)}) {
    EXPECT_EQ(read(bytes), State::kRefused);
  }
  std::string behind = records(message(hello_body("")) + "more");
  EXPECT_EQ(read(behind), State::kRefused);
  EXPECT_EQ(read(""), State::kReading);
}

TEST(ClientHello, HasAnEnd) {
  std::string endless = "\x16\3\1\x40\0"s + "\1\0\xff\xff"s;
  endless.resize(ClientHelloReader::kMaxBytes, 'x');
  for (std::size_t at = 5 + (1 << 14); at + 5 < endless.size(); at += 5 + (1 << 14)) {
    endless.replace(at, 5, "\x16\3\1\x40\0"s);
  }
  EXPECT_EQ(read(endless), State::kRefused);
}

}  // namespace
}  // namespace atl::egress
