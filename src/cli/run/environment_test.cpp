#include "cli/run/environment.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(EnvironmentOptions, ReadsLines) {
  Environment environment;
  ASSERT_TRUE(add_env_lines(environment, "# note\n\nA=1\n  B=two words \r\nC=a=b\nD=", "f"));
  EXPECT_EQ(environment, (Environment{{"A", "1"}, {"B", "two words "}, {"C", "a=b"}, {"D", ""}}));
}

TEST(EnvironmentOptions, NamesTheBadLine) {
  Environment environment;
  Result<void> result = add_env_lines(environment, "A=1\n=x\n", "the env file f");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInvalidArgument);
  EXPECT_NE(result.error().message().find("line 2 of the env file f"), std::string::npos);
}

TEST(EnvironmentOptions, CommandLineWinsAndBareNamesComeFromTheCaller) {
  std::string path = ::testing::TempDir() + "/atoll_env_test";
  std::ofstream(path) << "A=file\nB=file\n";
  ::setenv("ATOLL_TEST_HERE", "yes", 1);
  ::unsetenv("ATOLL_TEST_GONE");
  RunOptions options;
  options.env_files = {path};
  options.env = {"A=line", "ATOLL_TEST_HERE", "ATOLL_TEST_GONE"};
  Result<Environment> environment = make_environment(options);
  ASSERT_TRUE(environment);
  EXPECT_EQ(*environment, (Environment{{"A", "line"}, {"B", "file"}, {"ATOLL_TEST_HERE", "yes"}}));
}

TEST(EnvironmentOptions, TerminalBringsTerm) {
  RunOptions options;
  options.terminal = true;
  ::setenv("TERM", "vt220", 1);
  EXPECT_EQ(make_environment(options)->at("TERM"), "vt220");
}

TEST(EnvironmentOptions, RefusesMissingFilesAndEmptyNames) {
  RunOptions options;
  options.env_files = {"/nonexistent/env"};
  EXPECT_EQ(make_environment(options).error().code(), Code::kNotFound);
  RunOptions empty;
  empty.env = {"=x"};
  EXPECT_EQ(make_environment(empty).error().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace atl::cli
