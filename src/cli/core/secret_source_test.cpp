#include "cli/core/secret_source.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(SecretSource, VariablesAndFiles) {
  ::setenv("SECRET_SOURCE_TEST", "hunter2", 1);
  EXPECT_EQ(read_secret("@env:SECRET_SOURCE_TEST").value(), "hunter2");
  std::string path = std::filesystem::temp_directory_path() / "secret_source_test.XXXXXX";
  int made = ::mkstemp(path.data());
  ASSERT_GE(made, 0);
  ::close(made);
  std::ofstream(path) << "hunter2\n\n";
  EXPECT_EQ(read_secret("@file:" + path).value(), "hunter2\n");
  std::ofstream(path) << "\n";
  EXPECT_EQ(read_secret("@file:" + path).error().code(), Code::kInvalidArgument);
  std::ofstream(path) << std::string(kMaxSecret + 1, 'x');
  EXPECT_FALSE(read_secret("@file:" + path));
  std::filesystem::remove(path);
  EXPECT_FALSE(read_secret("@file:" + path));
}

TEST(SecretSource, NeverAnArgument) {
  for (const char* source : {"hunter2", "", "@env:", "@file:", "@hunter2", "env:HOME"}) {
    Result<std::string> value = read_secret(source);
    ASSERT_FALSE(value) << source;
    EXPECT_EQ(value.error().message().find("hunter2"), std::string::npos);
  }
}

TEST(SecretSource, OneLineBreakAtTheEnd) {
  EXPECT_EQ(secret_value("a\r\n").value(), "a");
  EXPECT_EQ(secret_value("a\n\n").value(), "a\n");
  EXPECT_EQ(secret_value("a").value(), "a");
  EXPECT_FALSE(secret_value("\n"));
  EXPECT_TRUE(secret_value(std::string(kMaxSecret, 'x') + "\n"));
}

}  // namespace
}  // namespace atl::cli
