#include "cli/remote/server.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(Server, FlagThenEnvironmentThenThisMachine) {
  RemoteOptions options;
  EXPECT_EQ(choose_server(options, {})->url, "http://127.0.0.1:8080");
  EXPECT_EQ(choose_server(options, {.server = "https://b"})->url, "https://b");
  EXPECT_EQ(choose_server(options, {.server = ""})->url, "http://127.0.0.1:8080");
  options.server = "unix:///run/a.sock";
  EXPECT_EQ(choose_server(options, {.server = "https://b"})->url, "unix:///run/a.sock");
}

TEST(Server, AnAddressIsAnAddress) {
  for (const char* wrong : {"localhost:8080", "ftp://x", "unix://x", "x"}) {
    RemoteOptions options;
    options.server = wrong;
    Result<client::Address> address = choose_server(options, {});
    ASSERT_FALSE(address) << wrong;
    EXPECT_EQ(address.error().code(), Code::kInvalidArgument);
  }
}

TEST(Server, OnlyThisMachineGetsTheKeyThatLiesHere) {
  EXPECT_TRUE(is_this_machine("http://127.0.0.1:8080"));
  EXPECT_TRUE(is_this_machine("https://localhost"));
  EXPECT_TRUE(is_this_machine("http://[::1]:80"));
  EXPECT_TRUE(is_this_machine("unix:///x"));
  EXPECT_FALSE(is_this_machine("http://127.0.0.1.example.org"));
  EXPECT_FALSE(is_this_machine("http://example.org:8080"));
  char name[] = "/tmp/atoll-key-XXXXXX";
  UniqueFd file(::mkstemp(name));
  ASSERT_EQ(::write(file.get(), "from-file\n", 10), 10);
  RemoteOptions options;
  EXPECT_EQ(choose_server(options, {.key_file = name})->key, "from-file");
  EXPECT_EQ(choose_server(options, {.key = "from-env", .key_file = name})->key, "from-env");
  EXPECT_EQ(choose_server(options, {.key_file = "/no/such/file"})->key, "");
  options.server = "https://example.org";
  EXPECT_EQ(choose_server(options, {.key_file = name})->key, "");
  options.key = "two words";
  EXPECT_FALSE(choose_server(options, {}));
  ::unlink(name);
}

}  // namespace
}  // namespace atl::cli
